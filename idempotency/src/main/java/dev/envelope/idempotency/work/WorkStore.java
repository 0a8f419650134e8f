package dev.envelope.idempotency.work;

import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.store.PoolUse;
import java.util.List;

/**
 * The database of an application whose handler writes what it likes, each message's once.
 *
 * <p>Threads: thread-safe.
 */
public interface WorkStore extends AutoCloseable {

    /** The sources and their checkpoints. */
    Checkpoints checkpoints();

    /** The transactions of handlers. */
    Transactions transactions();

    /**
     * Deletes marks of messages that are below their checkpoint, which says the same.
     *
     * @return whether there may be more
     */
    boolean forgetSome();

    /** The present use of its connection pools. */
    List<PoolUse> pools();

    /** Closes all connections; work that is under way on them fails. */
    @Override
    void close();
}
