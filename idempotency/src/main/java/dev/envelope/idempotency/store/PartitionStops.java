package dev.envelope.idempotency.store;

import dev.envelope.core.api.UnavailableException;

/**
 * How much of a partition is parked, and which partitions stay stopped until an operator resumes
 * them.
 *
 * <p>Threads: may block, within its own timeouts. Every method throws {@link UnavailableException}
 * when nobody knows what happened.
 */
public interface PartitionStops {

    /** How many messages of a source are parked. */
    long parked(int source);

    /** Records that a source stays stopped; one that does already keeps its reason. */
    void stop(int source, String reason);
}
