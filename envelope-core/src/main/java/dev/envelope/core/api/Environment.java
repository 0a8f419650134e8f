package dev.envelope.core.api;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What the engine uses besides its servers: time, timers, threads, random numbers. In production
 * these are the system's; in a simulation they all follow from one seed.
 *
 * @param ticker monotonic time
 * @param timers runs tasks after a delay
 * @param background runs tasks that block: positions, checkpoints
 * @param blocking runs foreign code that may block for long, each call at once on a thread of its
 *     own
 * @param parker makes the poll thread wait inside a rebalance callback
 * @param random jitter
 */
public record Environment(
        Ticker ticker,
        Timers timers,
        Executor background,
        Executor blocking,
        Parker parker,
        RandomGenerator random) {

    /** Monotonic time, for durations only. Threads: thread-safe. */
    @FunctionalInterface
    public interface Ticker {
        long nanoTime();
    }

    /** Runs short, non-blocking tasks after a delay. Threads: thread-safe. */
    @FunctionalInterface
    public interface Timers {
        void after(Duration delay, Runnable task);
    }

    /**
     * Where the poll thread waits for something to be posted to it.
     *
     * <p>Threads: one thread parks, any thread unparks.
     */
    public interface Parker {

        /** Waits for {@link #unpark}, but no longer than this; may return early. */
        void park(long nanos);

        void unpark();
    }
}
