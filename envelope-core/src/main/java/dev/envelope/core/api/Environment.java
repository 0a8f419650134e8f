package dev.envelope.core.api;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * All that the engine takes from the machine besides its servers: time, timers, threads, chance. In
 * production these are the system's; in a simulation one seed makes them all.
 *
 * @param ticker monotonic time
 * @param timers runs things later
 * @param background runs things that block: positions, checkpoints
 * @param blocking runs code of others that may block for long, each at once on a thread of its own
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

    /** Runs short, non-blocking things after a while. Threads: thread-safe. */
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

        /** Waits until somebody unparks, but no longer than this; may return early. */
        void park(long nanos);

        void unpark();
    }
}
