package dev.envelope.app.handlers.expression;

import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.json.Jsonb;
import dev.envelope.idempotency.json.Scalars;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;

/**
 * Single values of JSON as objects: a Long, a BigDecimal, a String or a Boolean. Numbers are exact:
 * a Long where it fits and all inputs were Longs, otherwise a BigDecimal.
 */
final class Scalar {

    /** Stands for any object or array; its content is not read. */
    static final Object STRUCTURE = Scalars.Kind.STRUCTURE;

    /**
     * The most digits that a number may have on each side of the point; every double has fewer. It
     * bounds the size of a sum, and so of the state.
     */
    static final int MAX_PLACES = 400;

    private Scalar() {}

    /** The value at a place that is not missing. */
    static Object of(Scalars found, int place) {
        return switch (found.kind(place)) {
            case LONG -> found.asLong(place);
            case DECIMAL -> found.asDecimal(place);
            case BOOLEAN -> found.asBoolean(place);
            case TEXT -> found.asText(place);
            case MISSING, STRUCTURE -> STRUCTURE;
        };
    }

    /** Reads the value at the parser's token; a JSON null is null. */
    static @Nullable Object read(JsonParser json) {
        return switch (json.currentToken()) {
            case VALUE_NULL -> null;
            case VALUE_STRING -> json.getString();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NUMBER_FLOAT -> json.getDecimalValue();
            case VALUE_NUMBER_INT ->
                    json.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                            ? json.getDecimalValue()
                            : (Object) json.getLongValue();
            default -> STRUCTURE;
        };
    }

    /** Writes it; numbers in their shortest form, as a long or without trailing zeros. */
    static void write(JsonGenerator json, @Nullable Object value) {
        if (value instanceof Long whole) {
            json.writeNumber(whole);
        } else if (value instanceof BigDecimal decimal) {
            writeDecimal(json, decimal.stripTrailingZeros());
        } else if (value instanceof String text) {
            json.writeString(text);
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else {
            json.writeNull();
        }
    }

    private static void writeDecimal(JsonGenerator json, BigDecimal shortest) {
        boolean isLong =
                shortest.scale() <= 0
                        && shortest.precision() - shortest.scale() <= 19
                        && shortest.toBigInteger().bitLength() < Long.SIZE;
        if (isLong) {
            json.writeNumber(shortest.longValue());
        } else {
            json.writeNumber(shortest);
        }
    }

    static Object sum(Object one, Object other) {
        if (one instanceof Long left && other instanceof Long right) {
            long sum = left + right;
            if (((left ^ sum) & (right ^ sum)) >= 0) {
                return sum;
            }
        }
        return decimal(one).add(decimal(other));
    }

    static int compare(Object one, Object other) {
        return one instanceof Long left && other instanceof Long right
                ? Long.compare(left, right)
                : decimal(one).compareTo(decimal(other));
    }

    static BigDecimal decimal(Object number) {
        return number instanceof BigDecimal decimal ? decimal : BigDecimal.valueOf((Long) number);
    }

    /** Whether a number has at most {@link #MAX_PLACES} digits on each side of the point. */
    static boolean isInRange(BigDecimal number) {
        return number.scale() <= MAX_PLACES
                && (long) number.precision() - number.scale() <= MAX_PLACES;
    }

    /** The value, if {@code jsonb} can store it. */
    static Object storable(Object value) {
        if (value instanceof String text && !Jsonb.isStorable(text)) {
            throw new MalformedException(
                    "the text holds a NUL or half a surrogate pair, which Postgres can't store");
        }
        return value;
    }

    static boolean isNumber(Object value) {
        return value instanceof Number;
    }

    static boolean isSingle(Object value) {
        return value != STRUCTURE;
    }

    static String describe(Object value) {
        if (value instanceof Number) {
            return "a number";
        } else if (value instanceof Boolean) {
            return "true or false";
        }
        return value instanceof String ? "a text" : "an object or an array";
    }
}
