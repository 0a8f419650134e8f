package dev.envelope.idempotency.store;

import dev.envelope.core.api.UnavailableException;

/**
 * How many messages of a partition are parked, and which partitions stay stopped until an operator
 * resumes them.
 *
 * <p>Threads: may block, within its own timeouts. Every method throws {@link UnavailableException}
 * when the outcome is unknown.
 */
public interface PartitionStops {

    /** How many messages of a source are parked. */
    long parked(int source);

    /** Records that a source stays stopped; if it is stopped already, the first reason stays. */
    void stop(int source, String reason);
}
