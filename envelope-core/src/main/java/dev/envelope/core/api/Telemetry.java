package dev.envelope.core.api;

import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * What the engine tells of its work, for metrics. Every method does nothing by default, is called
 * on the thread that did the work, and must return at once.
 *
 * <p>Threads: called by many at once.
 */
public interface Telemetry {

    /** Tells nobody. */
    Telemetry NONE = new Telemetry() {};

    /** A poll brought records. */
    default void polled(int records, long bytes) {}

    /** The shard of a turn that was ready first had waited so long for a worker. */
    default void waited(long nanos) {}

    /** A turn took its envelopes from so many shards and is over. */
    default void turnEnded(int shards, int envelopes, int messages, long nanos) {}

    /** So long a turn has been at a stage of its work. */
    default void stageEnded(Stage stage, long nanos) {}

    /** A turn is over that had these envelopes; to be looked at now, not kept. */
    default void worked(List<Envelope> envelopes) {}

    /** Of keys whose row was wanted so many were at hand, guessed to be new, and loaded. */
    default void looked(int cached, int guessed, int loaded) {}

    /** Messages found to be in the saved history already. */
    default void duplicates(int messages) {}

    /** A turn has written so many rows, which so many messages went into. */
    default void saved(int rows, int messages) {}

    /** Rows had moved on, so that their messages were loaded, deduped and folded again. */
    default void conflicts(int rows) {}

    /** Messages were parked. */
    default void parked(String reason, int messages) {}

    /** Rows of keys that were deleted long ago were taken away. */
    default void purged(int rows) {}

    /** Messages became dead letters: they will be delivered. */
    default void deadLettered(String reason, int messages) {}

    /** A message failed on a confirmed state. */
    default void attemptFailed() {}

    /** The store could not serve a turn. */
    default void storeUnavailable() {}

    /** A fold outlasted its turn and was left behind with its key. */
    default void foldLeftBehind() {}

    /** Records were gone from the log before they were applied, at most so many. */
    default void gap(TopicPartition partition, long records) {}

    /** A handler was at one message for longer than it may, and was interrupted. */
    default void handlerTimedOut() {}

    /** A handler ignored that, and another worker was started in place of its own. */
    default void workerReplaced() {}

    /** Offsets were committed to Kafka. */
    default void committed(int partitions) {}

    /** The group gave or took partitions. */
    default void rebalanced(String event, int partitions) {}

    /** So long it took until partitions that were taken were saved, committed and let go. */
    default void drained(long nanos) {}

    /** A partition will not go on without a person. */
    default void stopped(TopicPartition partition) {}
}
