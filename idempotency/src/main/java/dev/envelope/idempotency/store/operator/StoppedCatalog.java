package dev.envelope.idempotency.store.operator;

import java.time.Instant;
import java.util.List;

/**
 * Where an operator sees and resumes partitions that stay stopped. The process that has the
 * partition resumes it within a second or two.
 *
 * <p>Threads: one thread.
 */
public interface StoppedCatalog extends Catalog {

    /**
     * A partition that is stopped.
     *
     * @param name topic and partition number with a dash between them
     */
    record StoppedPartition(String name, String reason, Instant since) {}

    /** All stopped partitions. */
    List<StoppedPartition> all();

    /**
     * Resumes a partition.
     *
     * @return false if it was not stopped
     */
    boolean resume(String name, String who);
}
