package dev.envelope.idempotency.json;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.dedupe.IdHash;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Event ids that stand in the value, where a JSON pointer names them: texts or numbers. A number is
 * the same id as the text of its digits, however it is written (1.0 and 1 are one id).
 *
 * <p>It reads the value a second time, beside the value's format. Tombstones have no id.
 *
 * <p>Threads: immutable.
 */
public final class JsonPointerIds implements MessageIds {

    private final PointerReader reader;
    private final String pointer;

    /**
     * @throws IllegalArgumentException if it is no pointer
     */
    public JsonPointerIds(String pointer) {
        this.pointer = pointer;
        reader = new PointerReader(Json.standard(), List.of(pointer));
    }

    @Override
    public @Nullable IdHash find(Message message) {
        byte[] value = message.value();
        if (value == null) {
            return null;
        }
        Scalars found = reader.read(value);
        String id =
                switch (found.kind(0)) {
                    case MISSING -> "";
                    case TEXT -> found.asText(0);
                    case LONG -> Long.toString(found.asLong(0));
                    case DECIMAL -> found.asDecimal(0).stripTrailingZeros().toString();
                    case BOOLEAN, STRUCTURE ->
                            throw new MalformedException(
                                    Brief.text(
                                            "the event id at "
                                                    + pointer
                                                    + " is neither a text nor a number"));
                };
        return id.isEmpty() ? null : IdHash.of(id.getBytes(StandardCharsets.UTF_8));
    }
}
