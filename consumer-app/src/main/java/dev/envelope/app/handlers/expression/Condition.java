package dev.envelope.app.handlers.expression;

import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.json.Scalars;
import dev.envelope.idempotency.json.Scalars.Kind;
import java.math.BigDecimal;

/**
 * What stands behind {@code where}: which messages an expression looks at. A message without the
 * pointer is not looked at, whatever the comparison; one with a value of another type is malformed.
 *
 * <p>Texts are compared by code points, as Postgres compares them under {@code COLLATE "C"};
 * numbers by value.
 *
 * <p>Threads: immutable.
 *
 * @param place of the pointer's value
 * @param literal a BigDecimal, a String or a Boolean; for {@link Operator#EXISTS} anything
 */
record Condition(int place, String pointer, Operator operator, Object literal) {

    /** How the value is compared with the literal. */
    enum Operator {
        EQUAL("="),
        NOT_EQUAL("!="),
        LESS("<"),
        AT_MOST("<="),
        GREATER(">"),
        AT_LEAST(">="),
        EXISTS("exists");

        private final String sign;

        Operator(String sign) {
            this.sign = sign;
        }

        String sign() {
            return sign;
        }

        boolean isOrdering() {
            return this != EQUAL && this != NOT_EQUAL && this != EXISTS;
        }

        private boolean holds(int comparison) {
            return switch (this) {
                case EQUAL -> comparison == 0;
                case NOT_EQUAL -> comparison != 0;
                case LESS -> comparison < 0;
                case AT_MOST -> comparison <= 0;
                case GREATER -> comparison > 0;
                case AT_LEAST -> comparison >= 0;
                case EXISTS -> true;
            };
        }
    }

    /** What it asks for, in one way of writing it. */
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
        return operator == Operator.EXISTS || operator.holds(compare(found));
    }

    private int compare(Scalars found) {
        Kind kind = found.kind(place);
        if (literal instanceof String text && kind == Kind.TEXT) {
            return compareByCodePoint(found.asText(place), text);
        } else if (literal instanceof BigDecimal number
                && (kind == Kind.LONG || kind == Kind.DECIMAL)) {
            return found.asDecimal(place).compareTo(number);
        } else if (literal instanceof Boolean truth && kind == Kind.BOOLEAN) {
            return Boolean.compare(found.asBoolean(place), truth);
        }
        throw new MalformedException(
                "%s is %s and can't be compared with %s"
                        .formatted(pointer, Expression.describe(kind), describeLiteral()));
    }

    private String describeLiteral() {
        return literal instanceof String
                ? "a text"
                : literal instanceof Boolean ? "true or false" : "a number";
    }

    /** In UTF-16 the surrogates come before the last of the plain characters, in UTF-8 after. */
    static int compareByCodePoint(String one, String other) {
        int shorter = Math.min(one.length(), other.length());
        for (int i = 0; i < shorter; i++) {
            char left = one.charAt(i);
            char right = other.charAt(i);
            if (left != right) {
                boolean surrogates = Character.isSurrogate(left) != Character.isSurrogate(right);
                return surrogates
                        ? Boolean.compare(Character.isSurrogate(left), Character.isSurrogate(right))
                        : Character.compare(left, right);
            }
        }
        return Integer.compare(one.length(), other.length());
    }
}
