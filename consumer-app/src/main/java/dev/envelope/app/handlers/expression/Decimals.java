package dev.envelope.app.handlers.expression;

import java.math.BigDecimal;
import java.math.BigInteger;
import tools.jackson.core.JsonGenerator;

/** How exact numbers are written, and which are taken. */
final class Decimals {

    /**
     * So many digits on each side of the point a number may have: every double has fewer. It bounds
     * what a sum can grow to, and so the state.
     */
    static final int MAX_PLACES = 400;

    private static final BigInteger MIN_LONG = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

    private Decimals() {}

    /** Whether a number has so few digits that it may enter an aggregate. */
    static boolean isInRange(BigDecimal number) {
        return number.scale() <= MAX_PLACES
                && (long) number.precision() - number.scale() <= MAX_PLACES;
    }

    /** Writes the shortest form: whole numbers that fit a long as such, others without zeros. */
    static void write(JsonGenerator json, BigDecimal number) {
        BigDecimal shortest = number.stripTrailingZeros();
        if (shortest.scale() <= 0 && shortest.precision() - shortest.scale() <= 19) {
            BigInteger whole = shortest.toBigIntegerExact();
            if (whole.compareTo(MIN_LONG) >= 0 && whole.compareTo(MAX_LONG) <= 0) {
                json.writeNumber(whole.longValue());
                return;
            }
        }
        json.writeNumber(shortest);
    }
}
