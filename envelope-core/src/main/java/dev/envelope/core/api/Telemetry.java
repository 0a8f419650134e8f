package dev.envelope.core.api;

import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * Callbacks of the engine, for metrics. Every method does nothing by default, is called on the
 * thread that did the work, and must return at once.
 *
 * <p>Threads: called by many threads at once.
 */
public interface Telemetry {

    /** Ignores every call. */
    Telemetry NONE = new Telemetry() {};

    /** A poll returned records. */
    default void polled(int records, long bytes) {}

    /** How long a turn's first ready shard had waited for a worker. */
    default void waited(long nanos) {}

    /** A turn has ended; it took its envelopes from this many shards. */
    default void turnEnded(int shards, int envelopes, int messages, long nanos) {}

    /** How long a turn was at a stage. */
    default void stageEnded(Stage stage, long nanos) {}

    /** A turn with these envelopes has ended; they must not be kept. */
    default void worked(List<Envelope> envelopes) {}

    /** How many rows were in the cache, were assumed to be new, and were loaded. */
    default void looked(int cached, int guessed, int loaded) {}

    /** Messages that had been applied before. */
    default void duplicates(int messages) {}

    /** A turn has saved this many rows, with this many messages folded into them. */
    default void saved(int rows, int messages) {}

    /**
     * Rows had another version than expected, so that they were loaded, and their messages deduped
     * and folded again.
     */
    default void conflicts(int rows) {}

    /** Messages were parked. */
    default void parked(String reason, int messages) {}

    /** Rows of keys that were deleted long ago were purged. */
    default void purged(int rows) {}

    /** Messages became dead letters: they will be delivered. */
    default void deadLettered(String reason, int messages) {}

    /** Messages have emitted records, which are saved and will be delivered. */
    default void emitted(int records) {}

    /** A message failed on a confirmed state. */
    default void attemptFailed() {}

    /** The store could not serve a turn. */
    default void storeUnavailable() {}

    /** A fold outlasted its turn and was left behind with its key. */
    default void foldLeftBehind() {}

    /** Records, at most this many, were gone from the log before they were applied. */
    default void gap(TopicPartition partition, long records) {}

    /** A handler took too long for one message, and was interrupted. */
    default void handlerTimedOut() {}

    /** A handler ignored the interrupt, and another worker was started in place of its own. */
    default void workerReplaced() {}

    /** Offsets were committed to Kafka. */
    default void committed(int partitions) {}

    /**
     * A partition's commit had no room for all that is done behind its offset, and there is no
     * database that knows it: the rest would be handled again after a restart.
     */
    default void commitWasFull() {}

    /** Partitions were assigned, revoked or lost. */
    default void rebalanced(String event, int partitions) {}

    /** How long it took to save, commit and release partitions that were revoked. */
    default void drained(long nanos) {}

    /** A partition has stopped, and does not go on without a person. */
    default void stopped(TopicPartition partition) {}
}
