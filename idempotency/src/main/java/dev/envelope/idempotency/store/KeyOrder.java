package dev.envelope.idempotency.store;

import java.util.Comparator;

/**
 * The order of row keys in the database: by their UTF-8 bytes, as {@code COLLATE "C"} has it. Every
 * save takes its rows in this order, so that two saves never wait for each other in a circle.
 *
 * <p>Threads: immutable.
 */
public final class KeyOrder {

    /**
     * Differs from the order of {@code String} where one character is outside the basic plane: its
     * surrogates (D800 to DFFF) compare below E000 to FFFF as chars, above them as bytes.
     */
    public static final Comparator<String> BY_BYTES = KeyOrder::compare;

    private KeyOrder() {}

    private static int compare(String left, String right) {
        int common = Math.min(left.length(), right.length());
        for (int i = 0; i < common; i++) {
            char a = left.charAt(i);
            char b = right.charAt(i);
            if (a != b) {
                return rank(a) - rank(b);
            }
        }
        return left.length() - right.length();
    }

    private static int rank(char c) {
        return Character.isSurrogate(c) ? c + 0x10000 : c;
    }
}
