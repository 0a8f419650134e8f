package dev.envelope.idempotency.store.operator;

import dev.envelope.core.api.UnavailableException;

/**
 * What operators see of an application's database, and where they make requests. A catalog belongs
 * to its caller until it is closed. Every method throws {@link UnavailableException} if the
 * database can't be used.
 *
 * <p>Threads: thread-safe.
 */
public interface OperatorStore extends AutoCloseable {

    /** Keys and their rows. */
    KeyCatalog keys();

    /** Parked messages. */
    ParkedCatalog parked();

    /** Operators' requests. */
    RequestCatalog requests();

    /** Paused keys and partitions. */
    PauseCatalog pauses();

    /** Partitions that stay stopped. */
    StoppedCatalog stopped();

    /** Outputs that wait for Kafka. */
    OutputCatalog outputs();

    /** Sessions that hold locks. */
    LockCatalog locks();

    @Override
    void close();
}
