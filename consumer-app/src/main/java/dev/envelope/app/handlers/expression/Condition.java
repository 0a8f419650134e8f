package dev.envelope.app.handlers.expression;

import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.json.Scalars;
import dev.envelope.idempotency.store.row.KeyOrder;
import java.math.BigDecimal;
import java.util.function.IntPredicate;

/**
 * The condition after {@code where}: it selects the messages of an expression. A message without
 * the pointer is never selected; one with a value of another type is malformed.
 *
 * <p>Texts are compared by code points, as Postgres compares them under {@code COLLATE "C"};
 * numbers by value.
 *
 * @param place of the pointer's value
 * @param literal a BigDecimal, a String or a Boolean; for {@link Operator#EXISTS} anything
 */
record Condition(int place, String pointer, Operator operator, Object literal) {

    /** How the value is compared. The parser tries them in order: {@code <=} before {@code <}. */
    enum Operator {
        EQUAL("=", comparison -> comparison == 0),
        NOT_EQUAL("!=", comparison -> comparison != 0),
        AT_MOST("<=", comparison -> comparison <= 0),
        LESS("<", comparison -> comparison < 0),
        AT_LEAST(">=", comparison -> comparison >= 0),
        GREATER(">", comparison -> comparison > 0),
        EXISTS("exists", comparison -> true);

        private final String sign;

        @SuppressWarnings("ImmutableEnumChecker") // a function without state
        private final IntPredicate holds;

        Operator(String sign, IntPredicate holds) {
            this.sign = sign;
            this.holds = holds;
        }

        String sign() {
            return sign;
        }

        boolean isOrdering() {
            return this != EQUAL && this != NOT_EQUAL && this != EXISTS;
        }
    }

    /** The condition in a canonical form. */
    String meaning() {
        String asked = Cursor.written(pointer) + ' ' + operator.sign();
        if (operator == Operator.EXISTS) {
            return asked;
        }
        Object value = literal instanceof BigDecimal number ? number.stripTrailingZeros() : literal;
        return asked + ' ' + (value instanceof String text ? Cursor.quote(text) : value);
    }

    boolean test(Scalars found) {
        if (found.isMissing(place)) {
            return false;
        }
        return operator == Operator.EXISTS || operator.holds.test(compare(Scalar.of(found, place)));
    }

    private int compare(Object value) {
        if (literal instanceof String text && value instanceof String other) {
            return KeyOrder.BY_BYTES.compare(other, text);
        } else if (literal instanceof BigDecimal && value instanceof Number) {
            return Scalar.compare(value, literal);
        } else if (literal instanceof Boolean truth && value instanceof Boolean other) {
            return Boolean.compare(other, truth);
        }
        throw new MalformedException(
                "%s is %s and can't be compared with %s"
                        .formatted(pointer, Scalar.describe(value), Scalar.describe(literal)));
    }
}
