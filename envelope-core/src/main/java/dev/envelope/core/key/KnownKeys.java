package dev.envelope.core.key;

import dev.envelope.core.api.RowKey;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys that came last. So messages of one key share its text and its bytes while they wait:
 * there is less for the garbage collector to copy, and less to read from memory. Where too few keys
 * come again, it rests for a while.
 *
 * <p>Threads: poll thread only.
 */
final class KnownKeys {

    /** A key that is longer is not kept, so that it is known how much memory all of them take. */
    private static final int LONGEST = 64;

    /** Of the keys that are asked for, one in so many must be known. */
    private static final int WORTH_IT = 4;

    /** For how many times its size it rests. */
    private static final int REST = 8;

    private final @Nullable Known[] known; // by hash; the newest replaces the one that was there
    private final int[] hashes; // of these, so that another key is seen without reading it
    private int asked;
    private int found;
    private long rests; // for so many keys

    private record Known(String topic, RowKey key) {}

    /**
     * @param size how many it keeps, at least one
     */
    KnownKeys(int size) {
        known = new Known[Integer.highestOneBit(size)];
        hashes = new int[known.length];
    }

    /** The row key that was kept for these bytes in a record of that topic; null if none was. */
    @Nullable RowKey find(String topic, byte[] bytes) {
        if (rests > 0) {
            rests--;
            return null;
        }
        if (asked++ == known.length) {
            rests = found < known.length / WORTH_IT ? (long) REST * known.length : 0;
            asked = 0;
            found = 0;
        }
        int hash = hash(bytes);
        if (hashes[place(hash)] != hash) {
            return null;
        }
        Known there = known[place(hash)];
        if (there == null
                || !Arrays.equals(there.key.bytes(), bytes)
                || !there.topic.equals(topic)) {
            return null;
        }
        found++;
        return there.key;
    }

    void keep(String topic, byte[] bytes, RowKey key) {
        if (rests == 0 && bytes.length <= LONGEST) {
            int hash = hash(bytes);
            known[place(hash)] = new Known(topic, new RowKey(key.text(), bytes, true));
            hashes[place(hash)] = hash;
        }
    }

    private static int hash(byte[] bytes) {
        int hash = Arrays.hashCode(bytes);
        return hash ^ (hash >>> 15);
    }

    private int place(int hash) {
        return hash & (known.length - 1);
    }
}
