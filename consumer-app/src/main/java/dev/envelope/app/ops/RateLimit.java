package dev.envelope.app.ops;

import java.util.function.LongSupplier;

/**
 * So many requests a second, whoever sends them; the others are told to come again.
 *
 * <p>Threads: guarded by this.
 */
public final class RateLimit {

    private static final long SECOND = 1_000_000_000L;

    private final int most;
    private final LongSupplier nanoTime;
    private long begun;
    private int seen;

    /** So many; the second begins when somebody asks. */
    public RateLimit(int most, LongSupplier nanoTime) {
        this.most = most;
        this.nanoTime = nanoTime;
        this.begun = nanoTime.getAsLong();
    }

    /** Whether one more may pass. */
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
