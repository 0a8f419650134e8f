package dev.envelope.app.handlers.expression;

import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.json.Scalars;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * One aggregate of the handler {@code fold}.
 *
 * @param name of its value in the state
 * @param place of the pointer's value in what is read of a message, or {@link #NO_PLACE}
 * @param pointer as written, empty where there is none
 * @param bound of a distinct count
 */
public record Expression(
        String name,
        Function function,
        int place,
        String pointer,
        int bound,
        @Nullable Condition where) {

    static final int NO_PLACE = -1;

    Accumulator newAccumulator() {
        return function.newAccumulator(bound);
    }

    /**
     * The expression in a canonical form. A bound is not part of it, since counting continues with
     * a higher one.
     */
    public String meaning() {
        String aggregate = function.word() + '(' + Cursor.written(pointer) + ')';
        return where == null ? aggregate : aggregate + " where " + where.meaning();
    }

    /** Adds a message to the accumulator, if the condition selects it. */
    void apply(Accumulator accumulator, Scalars found) {
        if (where != null && !where.test(found)) {
            return;
        }
        if (place == NO_PLACE) {
            accumulator.add(Scalar.STRUCTURE); // the message itself
        } else if (!found.isMissing(place)) {
            Object value = Scalar.of(found, place);
            if (!(value instanceof Long) && function != Function.COUNT) { // count accepts anything
                check(value);
            }
            accumulator.add(value);
        }
    }

    private void check(Object value) {
        if (function.isOfNumbers() ? !(value instanceof Number) : !Scalar.isSingle(value)) {
            throw new MalformedException(
                    "%s: %s is %s, %s wants %s"
                            .formatted(
                                    name,
                                    pointer,
                                    Scalar.describe(value),
                                    function.word(),
                                    function.isOfNumbers() ? "a number" : "a single value"));
        }
        if (value instanceof BigDecimal decimal && !Scalar.isInRange(decimal)) {
            throw new MalformedException(
                    "%s: %s is a number with more than %d digits before or after the point"
                            .formatted(name, pointer, Scalar.MAX_PLACES));
        }
    }
}
