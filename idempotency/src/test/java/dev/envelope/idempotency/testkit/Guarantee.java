package dev.envelope.idempotency.testkit;

/**
 * One promise, and how a run breaks it.
 *
 * <p>Threads: one at a time.
 */
public interface Guarantee {

    /**
     * Takes evidence, in the order in which it came about; of different keys, any order will do.
     */
    default void see(Evidence evidence, Log log, Findings findings) {}

    /** The run is over, and there was time for everything to be done. */
    default void conclude(Log log, Findings findings) {}
}
