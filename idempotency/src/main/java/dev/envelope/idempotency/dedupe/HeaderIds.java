package dev.envelope.idempotency.dedupe;

import dev.envelope.core.api.Message;
import org.jspecify.annotations.Nullable;

/** Event ids from a header, taken as bytes. Of several headers with the name, the last counts. */
public record HeaderIds(String name) implements MessageIds {

    public HeaderIds {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("the name of the header is missing");
        }
    }

    @Override
    public @Nullable IdHash find(Message message) {
        byte[] id = message.header(name);
        return id == null || id.length == 0 ? null : IdHash.of(id);
    }
}
