package dev.envelope.idempotency.store.operator;

import java.time.Instant;
import java.util.List;

/**
 * What an operator sees of partitions that stay stopped, and where he resumes them. Whoever has a
 * partition sees that within a second or two.
 *
 * <p>Threads: one thread.
 */
public interface StoppedCatalog extends Catalog {

    /**
     * A partition that is stopped.
     *
     * @param name topic and number, with a dash between them
     */
    record StoppedPartition(String name, String reason, Instant since) {}

    /** All that are stopped. */
    List<StoppedPartition> all();

    /**
     * Lets a partition go on.
     *
     * @return false if it was not stopped
     */
    boolean resume(String name, String who);
}
