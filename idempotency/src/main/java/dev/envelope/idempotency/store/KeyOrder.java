package dev.envelope.idempotency.store;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

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

    private static final int HEAD_CHARS = Long.BYTES / Character.BYTES;

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

    /** The place of a char among all chars: surrogates come last. */
    private static int rank(char c) {
        if (c < Character.MIN_SURROGATE) {
            return c;
        }
        return Character.isSurrogate(c) ? c + 0x2000 : c - 0x800;
    }

    /** The places of the items in the order of their keys. */
    public static <T> int[] places(List<T> items, Function<T, String> key) {
        Keyed[] keyed = new Keyed[items.size()];
        String first = items.isEmpty() ? "" : key.apply(items.get(0));
        int shared = first.length();
        for (T item : items) {
            shared = sharedPrefix(first, key.apply(item), shared);
        }
        for (int i = 0; i < keyed.length; i++) {
            String each = key.apply(items.get(i));
            keyed[i] = new Keyed(head(each, shared), each, i);
        }
        Arrays.sort(keyed);
        return Arrays.stream(keyed).mapToInt(Keyed::place).toArray();
    }

    private static int sharedPrefix(String left, String right, int most) {
        int end = Math.min(right.length(), most);
        int i = 0;
        while (i < end && left.charAt(i) == right.charAt(i)) {
            i++;
        }
        return i;
    }

    /** A few chars as one number: most comparisons need no more, and none of the memory behind. */
    private static long head(String key, int from) {
        long head = 0;
        for (int i = from; i < from + HEAD_CHARS; i++) {
            head = head << Character.SIZE | (i < key.length() ? rank(key.charAt(i)) : 0);
        }
        return head;
    }

    private record Keyed(long head, String key, int place) implements Comparable<Keyed> {

        @Override
        public int compareTo(Keyed other) {
            int byHead = Long.compareUnsigned(head, other.head);
            return byHead != 0 ? byHead : compare(key, other.key);
        }
    }
}
