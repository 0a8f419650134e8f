package dev.envelope.idempotency.dedupe;

import java.util.Arrays;

/**
 * Ids with their timestamps in order of arrival, and an index of them; without an object per id.
 *
 * <p>The index is an open hash table of positions. A removed id stays in it until the table is
 * rebuilt; its position is then no longer in the ring.
 *
 * <p>Threads: actor, one at a time.
 */
final class IdRing {

    /** Up to this many ids, a linear search is faster than building the index. */
    private static final int WALKED = 32;

    private static final int FREE = -1;

    private long[] highs;
    private long[] lows;
    private long[] times;
    private int from;
    private int to;
    private int[] index = {}; // empty: not built; otherwise its length is a power of two

    IdRing(int expected) {
        int capacity = Math.max(8, expected + 8);
        highs = new long[capacity];
        lows = new long[capacity];
        times = new long[capacity];
    }

    /** Sees the ids in order. */
    interface Visitor {
        void visit(long high, long low, long time);
    }

    int size() {
        return to - from;
    }

    boolean isEmpty() {
        return from == to;
    }

    boolean contains(IdHash id) {
        if (size() <= WALKED) {
            for (int i = from; i < to; i++) {
                if (lows[i] == id.low() && highs[i] == id.high()) {
                    return true;
                }
            }
            return false;
        }
        if (index.length == 0) {
            buildIndex();
        }
        for (int at = slot(id.low()); index[at] != FREE; at = (at + 1) & (index.length - 1)) {
            int i = index[at];
            if (i >= from && lows[i] == id.low() && highs[i] == id.high()) {
                return true;
            }
        }
        return false;
    }

    void add(IdHash id, long time) {
        if (to == lows.length) {
            makeRoom();
        }
        highs[to] = id.high();
        lows[to] = id.low();
        times[to] = time;
        if (index.length > 0) {
            put(to);
        }
        to++;
    }

    /** Removes the first id and returns its timestamp. */
    long removeFirst() {
        return times[from++];
    }

    /** Removes all ids with an older timestamp, from the ring and from the sorted timestamps. */
    void removeOlder(long oldest, SortedTimes sorted) {
        while (from < to && times[from] < oldest) {
            sorted.remove(removeFirst());
        }
        if (isEmpty() || sorted.first() >= oldest) {
            return;
        }
        int kept = from;
        for (int i = from; i < to; i++) {
            if (times[i] < oldest) {
                sorted.remove(times[i]);
            } else {
                highs[kept] = highs[i];
                lows[kept] = lows[i];
                times[kept] = times[i];
                kept++;
            }
        }
        to = kept;
        index = new int[0];
    }

    void forEach(Visitor visitor) {
        for (int i = from; i < to; i++) {
            visitor.visit(highs[i], lows[i], times[i]);
        }
    }

    private void makeRoom() {
        int size = size();
        int capacity = size > lows.length / 2 ? lows.length * 2 : lows.length;
        highs = moved(highs, capacity);
        lows = moved(lows, capacity);
        times = moved(times, capacity);
        from = 0;
        to = size;
        index = new int[0];
    }

    private long[] moved(long[] array, int capacity) {
        long[] target = capacity == array.length ? array : new long[capacity];
        System.arraycopy(array, from, target, 0, size());
        return target;
    }

    private void buildIndex() {
        // Large enough for every position of the arrays, so that it can't fill up before they do.
        index = new int[Integer.highestOneBit(lows.length * 2 - 1) << 1];
        Arrays.fill(index, FREE);
        for (int i = from; i < to; i++) {
            put(i);
        }
    }

    private void put(int position) {
        int at = slot(lows[position]);
        while (index[at] != FREE) {
            at = (at + 1) & (index.length - 1);
        }
        index[at] = position;
    }

    private int slot(long low) {
        return (int) low & (index.length - 1); // a hash already: its bits are as good as random
    }
}
