package dev.envelope.idempotency.json;

import dev.envelope.idempotency.fold.MalformedException;
import java.math.BigDecimal;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Checks for JSON that Postgres' {@code jsonb} refuses. The column has the type {@code json}, which
 * checks less; these checks make sure that {@code state::jsonb} always works.
 */
public final class Jsonb {

    /** The most digits of a {@code numeric} before the point. */
    static final int MAX_DIGITS_BEFORE = 131_072;

    /** The most digits of a {@code numeric} after the point, including zeros at the end. */
    static final int MAX_DIGITS_AFTER = 16_383;

    /** With a larger exponent no number is in range, however many zeros it has. */
    private static final int MAX_EXPONENT = 999_999_999;

    private static final int PLAIN_EXPONENT_DIGITS = 4;

    /**
     * A number with at most this many characters can be stored if its exponent has at most four
     * digits.
     */
    static final int MAX_PLAIN_CHARS = MAX_DIGITS_AFTER - 9_999;

    private Jsonb() {}

    /** Whether {@code jsonb} can hold a text: no NUL, no half of a surrogate pair. */
    public static boolean isStorable(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            if (next == 0) {
                return false;
            }
            if (Character.isSurrogate(next)) {
                boolean pair =
                        Character.isHighSurrogate(next)
                                && i + 1 < text.length()
                                && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    /** Whether a number is in the range of {@code numeric}. */
    public static boolean isStorable(BigDecimal number) {
        return isNumeric(number.toString());
    }

    /**
     * Whether a document might hold something that can't be stored: a NUL or half a surrogate pair,
     * which can only be written as an escape, or a number with a long exponent. The document must
     * be JSON in UTF-8 without a number longer than {@link #MAX_PLAIN_CHARS}.
     */
    static boolean needsALook(byte[] document) {
        boolean inText = false;
        for (int i = 0; i < document.length; i++) {
            switch (document[i]) {
                case '"' -> inText = !inText;
                case '\\' -> {
                    i++;
                    if (i < document.length && document[i] == 'u') {
                        return true;
                    }
                }
                case 'e', 'E' -> {
                    if (!inText && isLongExponent(document, i)) {
                        return true;
                    }
                }
                default -> {}
            }
        }
        return false;
    }

    private static boolean isLongExponent(byte[] document, int at) {
        boolean isSigned =
                at + 1 < document.length && (document[at + 1] == '-' || document[at + 1] == '+');
        int from = isSigned ? at + 2 : at + 1;
        int to = from;
        while (to - from <= PLAIN_EXPONENT_DIGITS && isDigit(document, to)) {
            to++;
        }
        return to - from > PLAIN_EXPONENT_DIGITS && isDigit(document, at - 1);
    }

    private static boolean isDigit(byte[] document, int at) {
        return at >= 0 && at < document.length && document[at] >= '0' && document[at] <= '9';
    }

    /** Reads one whole document and refuses what can't be stored. */
    static void checkDocument(JsonParser parser) {
        JsonToken token = parser.nextToken();
        if (token == null) {
            throw new MalformedException("no JSON: the value is blank");
        }
        int depth = 0;
        do {
            check(token, parser);
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            token = parser.nextToken();
        } while (depth > 0);
        if (token != null) {
            throw new MalformedException("more follows after the JSON document");
        }
    }

    private static void check(JsonToken token, JsonParser parser) {
        switch (token) {
            case PROPERTY_NAME -> checkText(parser.currentName(), "a name");
            case VALUE_STRING -> checkText(parser.getString(), "a string");
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
                if (!isNumeric(parser.getString())) {
                    throw new MalformedException(
                            "a number is out of the range that Postgres can store: "
                                    + Brief.text(parser.getString()));
                }
            }
            default -> {}
        }
    }

    private static void checkText(String text, String what) {
        if (!isStorable(text)) {
            throw new MalformedException(
                    what + " holds a NUL or half a surrogate pair, which Postgres can't store");
        }
    }

    /** Whether a JSON number, as written, is in the range of {@code numeric}. */
    static boolean isNumeric(String number) {
        int exponentAt = Math.max(number.indexOf('e'), number.indexOf('E'));
        int mantissaEnd = exponentAt < 0 ? number.length() : exponentAt;
        long exponent = exponentAt < 0 ? 0 : exponent(number, exponentAt + 1);
        if (Math.abs(exponent) > MAX_EXPONENT) {
            return false;
        }
        int start = number.charAt(0) == '-' ? 1 : 0;
        int point = number.indexOf('.');
        int before = (point < 0 ? mantissaEnd : point) - start;
        int after = point < 0 ? 0 : mantissaEnd - point - 1;
        int zeros = leadingZeros(number, start, mantissaEnd);
        boolean isZero = zeros == before + after;
        return (isZero || before - zeros + exponent <= MAX_DIGITS_BEFORE)
                && after - exponent <= MAX_DIGITS_AFTER;
    }

    /**
     * Parses the exponent from this index on. If it is out of range, the result is only some number
     * out of range.
     */
    private static long exponent(String number, int from) {
        char sign = number.charAt(from);
        long exponent = 0;
        for (int i = sign == '-' || sign == '+' ? from + 1 : from;
                i < number.length() && exponent <= MAX_EXPONENT;
                i++) {
            exponent = exponent * 10 + (number.charAt(i) - '0');
        }
        return sign == '-' ? -exponent : exponent;
    }

    /** The number of zeros before the first other digit. */
    private static int leadingZeros(String number, int start, int end) {
        int zeros = 0;
        for (int i = start; i < end; i++) {
            char digit = number.charAt(i);
            if (digit == '0') {
                zeros++;
            } else if (digit != '.') {
                return zeros;
            }
        }
        return zeros;
    }
}
