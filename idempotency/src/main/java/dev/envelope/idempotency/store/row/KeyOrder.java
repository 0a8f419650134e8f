package dev.envelope.idempotency.store.row;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * The order of row keys in the database: by their UTF-8 bytes, as with {@code COLLATE "C"}. Every
 * save locks its rows in this order, so that two saves can't deadlock.
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

    /** The indexes of the items in the order of their keys. */
    public static <T> int[] places(List<T> items, Function<T, String> key) {
        String[] keys = new String[items.size()];
        int shared = Integer.MAX_VALUE;
        for (int i = 0; i < keys.length; i++) {
            keys[i] = key.apply(items.get(i));
            shared = sharedPrefix(keys[0], keys[i], shared);
        }
        long[] heads = new long[keys.length];
        for (int i = 0; i < keys.length; i++) {
            heads[i] = head(keys[i], shared);
        }
        return sorted(keys, heads);
    }

    /**
     * A merge sort by doubling run lengths, without an object per key and with few comparisons of
     * keys.
     */
    private static int[] sorted(String[] keys, long[] heads) {
        int[] from = new int[keys.length];
        int[] to = new int[keys.length];
        Arrays.setAll(from, i -> i);
        for (int run = 1; run > 0 && run < keys.length; run *= 2) {
            for (int start = 0; start < keys.length; start += 2 * run) {
                int middle = Math.min(start + run, keys.length);
                int end = Math.min(middle + run, keys.length);
                int left = start;
                int right = middle;
                for (int at = start; at < end; at++) {
                    boolean takesLeft =
                            right == end
                                    || (left < middle
                                            && !isAfter(from[left], from[right], keys, heads));
                    to[at] = takesLeft ? from[left++] : from[right++];
                }
            }
            int[] merged = to;
            to = from;
            from = merged;
        }
        return from;
    }

    private static boolean isAfter(int left, int right, String[] keys, long[] heads) {
        int byHead = Long.compareUnsigned(heads[left], heads[right]);
        return byHead > 0 || (byHead == 0 && compare(keys[left], keys[right]) > 0);
    }

    private static int sharedPrefix(String left, String right, int most) {
        int end = Math.min(right.length(), most);
        int i = 0;
        while (i < end && left.charAt(i) == right.charAt(i)) {
            i++;
        }
        return i;
    }

    /**
     * The first chars after the shared prefix as one number: enough for most comparisons, without
     * access to the key.
     */
    private static long head(String key, int from) {
        long head = 0;
        for (int i = from; i < from + HEAD_CHARS; i++) {
            head = head << Character.SIZE | (i < key.length() ? rank(key.charAt(i)) : 0);
        }
        return head;
    }
}
