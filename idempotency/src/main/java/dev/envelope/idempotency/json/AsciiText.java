package dev.envelope.idempotency.json;

import dev.envelope.core.api.Digits;
import java.util.Arrays;

/**
 * ASCII text that grows, as bytes: numbers are written without a string of their own.
 *
 * <p>Threads: one thread.
 */
final class AsciiText {

    private static final int SIGN = 1;

    private byte[] text;
    private int length;

    /**
     * @param expected bytes; it may become longer
     */
    AsciiText(int expected) {
        text = new byte[expected];
    }

    int length() {
        return length;
    }

    byte[] bytes() {
        return Arrays.copyOf(text, length);
    }

    /** Appends text that has no other characters than those of ASCII. */
    @SuppressWarnings("deprecation") // it drops the upper halves of characters, which are all zero
    void append(String ascii) {
        makeRoom(ascii.length());
        ascii.getBytes(0, ascii.length(), text, length);
        length += ascii.length();
    }

    void append(long number) {
        if (number == Long.MIN_VALUE) { // has no positive counterpart
            append(Long.toString(number));
            return;
        }
        makeRoom(SIGN + Digits.MOST);
        if (number < 0) {
            text[length++] = '-';
        }
        length = Digits.write(text, length, Math.abs(number));
    }

    private void makeRoom(int more) {
        if (text.length - length < more) {
            text = Arrays.copyOf(text, 2 * (length + more));
        }
    }
}
