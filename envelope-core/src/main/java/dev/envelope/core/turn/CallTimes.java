package dev.envelope.core.turn;

import dev.envelope.core.api.Environment.Ticker;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long the last calls of user code took.
 *
 * <p>Threads: thread-safe (atomics).
 */
public final class CallTimes {

    private static final int KEPT = 512;

    private final Ticker ticker;
    private final AtomicLongArray last = new AtomicLongArray(KEPT);
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong usual = new AtomicLong(Long.MAX_VALUE);

    public CallTimes(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Measures the calls of one thread, one after the other. Threads: one thread. */
    public final class Stopwatch {

        private long began;

        /** User code begins. */
        public void start() {
            began = ticker.nanoTime();
        }

        /**
         * It has returned. A call that has failed counts only if it took longer than usual: it may
         * have failed because it took so long, or before it had begun.
         */
        public void stop(boolean isDone) {
            long took = ticker.nanoTime() - began;
            if (isDone || took > usual.get()) {
                last.set(Math.floorMod(count.getAndIncrement(), KEPT), took);
            }
        }
    }

    /** For one thread. */
    public Stopwatch stopwatch() {
        return new Stopwatch();
    }

    /** From now on that time is usual for a call. */
    public void usual(long nanos) {
        usual.set(nanos);
    }

    /** How many were measured since {@link #forget}. */
    public int count() {
        return count.get();
    }

    /** Half of the last calls took no longer; there must be at least one. */
    public long median() {
        int many = Math.min(count.get(), KEPT);
        long[] sorted = new long[many];
        Arrays.setAll(sorted, last::get);
        Arrays.sort(sorted);
        return sorted[(many - 1) / 2];
    }

    /** Begins anew. */
    public void forget() {
        count.set(0);
    }
}
