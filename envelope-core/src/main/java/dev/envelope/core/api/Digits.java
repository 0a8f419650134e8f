package dev.envelope.core.api;

/** Numbers as ASCII digits, without a string of their own. */
public final class Digits {

    /** The most digits that a long can have. */
    public static final int MOST = 19;

    private Digits() {}

    /** How many digits a number has that is not negative. */
    public static int count(long number) {
        int digits = 1;
        for (long bound = 10; number >= bound && digits < MOST; bound *= 10) {
            digits++;
        }
        return digits;
    }

    /**
     * Writes a number that is not negative into an array, from that index on.
     *
     * @return the index behind it
     */
    public static int write(byte[] text, int from, long number) {
        int end = from + count(number);
        long rest = number;
        for (int at = end - 1; at >= from; at--) {
            text[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return end;
    }
}
