package dev.envelope.idempotency.store.operator;

import dev.envelope.core.api.UnavailableException;

/**
 * What operators see of an application's database, and where they ask for something. Each catalog
 * is its taker's until it is closed. Every method throws {@link UnavailableException} if the
 * database can't be used.
 *
 * <p>Threads: thread-safe.
 */
public interface OperatorStore extends AutoCloseable {

    /** Keys and their rows. */
    KeyCatalog keys();

    /** Parked messages. */
    ParkedCatalog parked();

    /** What operators ask for. */
    RequestCatalog requests();

    /** What is held back. */
    PauseCatalog pauses();

    /** Partitions that stay stopped. */
    StoppedCatalog stopped();

    /** Who holds locks. */
    LockCatalog locks();

    @Override
    void close();
}
