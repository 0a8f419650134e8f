package dev.envelope.idempotency.json;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.ValueFormat;

/** Values that are text in UTF-8; anything else is malformed. */
public final class StringValueFormat implements ValueFormat<String> {

    @Override
    public String decode(byte[] value, Message message) {
        return Utf8.decode(value);
    }
}
