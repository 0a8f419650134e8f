package dev.envelope.idempotency.json;

import java.util.Arrays;

/**
 * ASCII text that grows, as bytes: numbers are written without a string of their own.
 *
 * <p>Threads: one thread.
 */
final class AsciiText {

    private static final int MOST_DIGITS = 19; // of a long
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
        makeRoom(SIGN + MOST_DIGITS);
        if (number < 0) {
            text[length++] = '-';
        }
        long rest = Math.abs(number);
        int end = length + digits(rest);
        for (int at = end - 1; at >= length; at--) {
            text[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length = end;
    }

    /** How many digits a number has that is not negative. */
    private static int digits(long number) {
        int digits = 1;
        for (long bound = 10; number >= bound && digits < MOST_DIGITS; bound *= 10) {
            digits++;
        }
        return digits;
    }

    private void makeRoom(int more) {
        if (text.length - length < more) {
            text = Arrays.copyOf(text, 2 * (length + more));
        }
    }
}
