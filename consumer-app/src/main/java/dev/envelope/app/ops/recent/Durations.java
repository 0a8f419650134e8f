package dev.envelope.app.ops.recent;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A histogram of durations since it was last read. Its classes are a fifth apart, so a median is
 * off by a tenth at most.
 *
 * <p>Threads: thread-safe (atomics); one recorded during a read counts in this or the next.
 */
public final class Durations {

    private static final double WIDTH = 1.2;
    private static final double LEAST_NANOS = 1_000;

    /** Enough for a quarter of an hour; longer durations count as that. */
    private static final int CLASSES = 114;

    private final AtomicLongArray counts = new AtomicLongArray(CLASSES);

    /**
     * The durations that were recorded.
     *
     * @param count how many times
     * @param p50 the median, in milliseconds with three places
     */
    public record Seen(long count, double p50, double p99) {}

    /** Counts one duration. */
    public void record(long nanos) {
        double ratio = Math.max(1, (double) nanos / LEAST_NANOS);
        double steps = Math.log(ratio) / Math.log(WIDTH);
        counts.incrementAndGet(Math.min(CLASSES - 1, (int) Math.round(steps)));
    }

    /** What was recorded since this was last called. */
    public Seen take() {
        long[] taken = new long[CLASSES];
        long sum = 0;
        for (int i = 0; i < CLASSES; i++) {
            taken[i] = counts.getAndSet(i, 0);
            sum += taken[i];
        }
        return new Seen(sum, at(taken, sum, 0.5), at(taken, sum, 0.99));
    }

    private static double at(long[] taken, long sum, double quantile) {
        long rank = (long) Math.ceil(sum * quantile);
        long passed = 0;
        for (int i = 0; i < CLASSES; i++) {
            passed += taken[i];
            if (sum > 0 && passed >= rank) {
                return Math.round(Math.pow(WIDTH, i) * LEAST_NANOS / 1e3) / 1e3;
            }
        }
        return 0;
    }
}
