package dev.envelope.app.ops;

import java.util.function.LongSupplier;

/**
 * Limits the requests per second, from all callers together; the others are refused.
 *
 * <p>Threads: guarded by this.
 */
public final class RateLimit {

    private static final long SECOND = 1_000_000_000L;

    private final int most;
    private final LongSupplier nanoTime;
    private long begun;
    private int seen;

    /** Admits so many; a second begins with a request. */
    public RateLimit(int most, LongSupplier nanoTime) {
        this.most = most;
        this.nanoTime = nanoTime;
        this.begun = nanoTime.getAsLong();
    }

    /** Whether one more request is admitted. */
    public synchronized boolean admits() {
        long now = nanoTime.getAsLong();
        if (now - begun >= SECOND) {
            begun = now;
            seen = 0;
        }
        seen++;
        return seen <= most;
    }
}
