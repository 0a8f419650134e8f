package dev.envelope.idempotency.json.id;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.dedupe.IdHash;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.json.Brief;
import dev.envelope.idempotency.json.Json;
import dev.envelope.idempotency.json.PointerReader;
import dev.envelope.idempotency.json.Scalars;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Event ids at a JSON pointer in the value: strings or numbers. Equal numbers are one id, however
 * they are written (100, 100.0 and 1e2). An integer that fits a long is also the same id as the
 * string of its digits.
 *
 * <p>The value is parsed a second time, in addition to the value format. Tombstones have no id.
 *
 * <p>Threads: immutable.
 */
public final class JsonPointerIds implements MessageIds {

    private static final BigDecimal MIN_LONG = BigDecimal.valueOf(Long.MIN_VALUE);
    private static final BigDecimal MAX_LONG = BigDecimal.valueOf(Long.MAX_VALUE);

    private final PointerReader reader;
    private final String pointer;

    /**
     * @throws IllegalArgumentException if it is not a pointer
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
                    case DECIMAL -> text(found.asDecimal(0));
                    case BOOLEAN, STRUCTURE -> throw malformed("is neither a text nor a number");
                };
        return id.isEmpty() ? null : IdHash.of(id.getBytes(StandardCharsets.UTF_8));
    }

    /** The same text for equal numbers, short whatever their exponents. */
    private String text(BigDecimal number) {
        BigDecimal shortest;
        try {
            shortest = number.stripTrailingZeros();
        } catch (ArithmeticException e) { // its exponent would overflow
            throw malformed("is a number out of range");
        }
        boolean isLong =
                shortest.scale() <= 0
                        && MIN_LONG.compareTo(shortest) <= 0
                        && shortest.compareTo(MAX_LONG) <= 0;
        return isLong ? Long.toString(shortest.longValue()) : shortest.toString();
    }

    private MalformedException malformed(String what) {
        return new MalformedException(Brief.text("the event id at " + pointer + ' ' + what));
    }
}
