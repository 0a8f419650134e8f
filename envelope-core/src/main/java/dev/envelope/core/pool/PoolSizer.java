package dev.envelope.core.pool;

import dev.envelope.core.turn.CallTimes.Stopwatch;
import java.util.Optional;

/** Decides how many workers there should be, between a minimum and a maximum. */
interface PoolSizer {

    /**
     * What was seen at one moment.
     *
     * @param waits a shard that was ready at the last look has waited for a worker ever since
     * @param busy how many workers are at a turn
     * @param messages how many have become durable since the start
     */
    record Look(boolean waits, int busy, long messages) {}

    /** A new number of workers, and why. */
    record Step(int workers, String reason) {}

    /** One that never changes the number. */
    static PoolSizer fixed() {
        return new PoolSizer() {
            @Override
            public Optional<Step> next(int size, Look look, long nowNanos) {
                return Optional.empty();
            }

            @Override
            public void stop() {}
        };
    }

    /**
     * Takes a look; to be called several times a second.
     *
     * @param size how many workers are wanted now
     * @return what is to be changed, if anything
     */
    Optional<Step> next(int size, Look look, long nowNanos);

    /** The number was set by a call: it does not change by itself from now on. */
    void stop();

    /** Measures a worker's calls; empty if their time does not matter. */
    default Optional<Stopwatch> stopwatch() {
        return Optional.empty();
    }

    /** Whether it changes the number all the time, so that a change is no news. */
    default boolean isRestless() {
        return false;
    }

    /** Why there are as many as there are, for people; empty if it was said when that changed. */
    default String why() {
        return "";
    }
}
