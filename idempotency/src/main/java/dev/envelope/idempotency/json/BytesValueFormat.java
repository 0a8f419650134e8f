package dev.envelope.idempotency.json;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.ValueFormat;

/** Values as bytes. The fold gets the record's own array and must not change it. */
public final class BytesValueFormat implements ValueFormat<byte[]> {

    @Override
    public byte[] decode(byte[] value, Message message) {
        return value;
    }
}
