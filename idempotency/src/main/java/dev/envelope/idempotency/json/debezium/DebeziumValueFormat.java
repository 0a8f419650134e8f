package dev.envelope.idempotency.json.debezium;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.json.Brief;
import org.jspecify.annotations.Nullable;

/**
 * Debezium's change events in JSON, with or without schema: the row after the change, or null, as
 * for a tombstone, if the row was deleted.
 */
public final class DebeziumValueFormat<M> implements ValueFormat<M> {

    private static final String PLAIN = "; set value.format=json if it holds the row alone";

    private final ValueFormat<M> rows;

    /**
     * @param rows reads the JSON of a row
     */
    public DebeziumValueFormat(ValueFormat<M> rows) {
        this.rows = rows;
    }

    @Override
    public @Nullable M decode(byte[] value, Message message) {
        JsonMembers event = JsonMembers.of(value);
        byte[] payload = event.get("payload");
        if (payload != null && event.get("op") == null) {
            event = JsonMembers.of(payload);
        }
        String op = event.text("op");
        return switch (op) {
            case "\"c\"", "\"r\"", "\"u\"" -> rows.decode(after(event, op), message);
            case "\"d\"" -> null;
            case "" -> throw new MalformedException("no change event: it has no op" + PLAIN);
            default ->
                    throw new MalformedException(
                            Brief.text("a change event of no single row: its op is " + op));
        };
    }

    private static byte[] after(JsonMembers event, String op) {
        byte[] after = event.get("after");
        if (after == null || after[0] != '{') {
            throw new MalformedException(
                    Brief.text("a change event with op " + op + " needs an object after"));
        }
        return after;
    }
}
