package dev.envelope.idempotency.dedupe;

import java.util.Arrays;

/**
 * Timestamps in ascending order. Adding the largest and removing the smallest take constant time;
 * others move a part of the array.
 *
 * <p>Threads: actor, one at a time.
 */
final class SortedTimes {

    private long[] times = new long[16];
    private int from;
    private int to;

    void add(long time) {
        if (to == times.length) {
            makeRoom();
        }
        int at = to;
        if (to > from && times[to - 1] > time) {
            at = Arrays.binarySearch(times, from, to, time);
            at = at < 0 ? -at - 1 : at;
            System.arraycopy(times, at, times, at + 1, to - at);
        }
        times[at] = time;
        to++;
    }

    /** Removes one timestamp with this value; there must be one. */
    void remove(long time) {
        int at = times[from] == time ? from : Arrays.binarySearch(times, from, to, time);
        System.arraycopy(times, from, times, from + 1, at - from);
        from++;
    }

    /** The middle timestamp, or the lower of the two. */
    long lowerMedian() {
        return times[from + (to - from - 1) / 2];
    }

    long first() {
        return times[from];
    }

    private void makeRoom() {
        int size = to - from;
        long[] wider = size > times.length / 2 ? new long[times.length * 2] : times;
        System.arraycopy(times, from, wider, 0, size);
        times = wider;
        from = 0;
        to = size;
    }
}
