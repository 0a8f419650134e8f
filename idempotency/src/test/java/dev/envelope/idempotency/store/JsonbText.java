package dev.envelope.idempotency.store;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Tells whether Postgres' {@code jsonb} would take a text. Stricter than the column's own type,
 * {@code json}, which looks at escapes and numbers only when they are cast: that is the codec's
 * duty, and the store in memory notices when it is neglected.
 *
 * <p>Threads: one thread, one text.
 */
final class JsonbText {

    private static final int DEEPEST = 2_000;
    private static final int MAX_INTEGER_DIGITS = 131_072;
    private static final int MAX_FRACTION_DIGITS = 16_383;

    private final String text;
    private int at;
    private int depth;

    private JsonbText(String text) {
        this.text = text;
    }

    static boolean isAccepted(byte[] json) {
        try {
            JsonbText parser =
                    new JsonbText(
                            StandardCharsets.UTF_8
                                    .newDecoder()
                                    .decode(ByteBuffer.wrap(json))
                                    .toString());
            parser.value();
            parser.blank();
            return parser.at == parser.text.length();
        } catch (CharacterCodingException | Refused e) {
            return false;
        }
    }

    private void value() throws Refused {
        blank();
        switch (peek()) {
            case '{' -> list('{', '}', true);
            case '[' -> list('[', ']', false);
            case '"' -> string();
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        }
    }

    private void list(char open, char close, boolean named) throws Refused {
        require(++depth <= DEEPEST);
        expect(open);
        blank();
        if (peek() != close) {
            entry(named);
            while (peek() == ',') {
                at++;
                entry(named);
            }
        }
        expect(close);
        depth--;
    }

    private void entry(boolean named) throws Refused {
        if (named) {
            blank();
            string();
            blank();
            expect(':');
        }
        value();
        blank();
    }

    private void string() throws Refused {
        expect('"');
        boolean halfPair = false;
        while (peek() != '"') {
            char c = text.charAt(at++);
            require(c >= ' ');
            if (c == '\\') {
                halfPair = escape(halfPair);
            } else {
                require(!halfPair);
            }
        }
        require(!halfPair);
        at++;
    }

    /** Returns whether it was the first half of a surrogate pair. */
    private boolean escape(boolean afterHalf) throws Refused {
        char c = peek();
        at++;
        if (c != 'u') {
            require(!afterHalf && "\"\\/bfnrt".indexOf(c) >= 0);
            return false;
        }
        require(at + 4 <= text.length());
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(text.charAt(at), 16);
            require(digit >= 0 && text.charAt(at) < 128);
            at++;
            unit = unit * 16 + digit;
        }
        require(unit != 0);
        require(afterHalf == Character.isLowSurrogate((char) unit));
        return Character.isHighSurrogate((char) unit);
    }

    private void number() throws Refused {
        int from = at;
        if (peek() == '-') {
            at++;
        }
        if (peek() == '0') {
            at++;
        } else {
            digits();
        }
        if (at < text.length() && text.charAt(at) == '.') {
            at++;
            digits();
        }
        if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            digits();
        }
        BigDecimal number;
        try {
            number = new BigDecimal(text.substring(from, at));
        } catch (NumberFormatException e) {
            throw new Refused();
        }
        require(number.scale() <= MAX_FRACTION_DIGITS);
        require(
                number.signum() == 0
                        || (long) number.precision() - number.scale() <= MAX_INTEGER_DIGITS);
    }

    private void digits() throws Refused {
        int from = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        require(at > from);
    }

    private void word(String word) throws Refused {
        require(text.startsWith(word, at));
        at += word.length();
    }

    private void blank() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() throws Refused {
        require(at < text.length());
        return text.charAt(at);
    }

    private void expect(char c) throws Refused {
        require(peek() == c);
        at++;
    }

    private static void require(boolean condition) throws Refused {
        if (!condition) {
            throw new Refused();
        }
    }

    private static final class Refused extends Exception {

        private static final long serialVersionUID = 1L;
    }
}
