package dev.envelope.idempotency.store.row;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.dedupe.Marks;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The rows for callers outside, who change nothing. They are read from the primary.
 *
 * <p>Threads: thread-safe; may block, within its own timeouts; throws {@link UnavailableException}.
 */
public interface RowReads {

    /** So much is not read at once, however much room there is. */
    long MOST_BYTES = 32L << 20;

    /**
     * A row.
     *
     * @param state its JSON as UTF-8; null if the key was deleted, has only marks, or is left out
     * @param age how long ago it was saved, by the clock of the database
     * @param isLeftOut whether the state was left out, since those before it were large. The first
     *     row never is
     */
    record Row(
            byte @Nullable [] state,
            long version,
            Marks marks,
            Instant updatedAt,
            Duration age,
            boolean isLeftOut) {}

    /** The log of a partition, whatever its generation. */
    record Log(Uuid topicId, int partition) {}

    /**
     * How far a log is durable.
     *
     * @param source the number of its last generation
     * @param checkpoint everything below this offset is in the rows, or was set aside
     * @param isFormer whether a later log of the same partition is known: the topic was made again
     */
    record Progress(int source, long checkpoint, boolean isFormer) {}

    /**
     * What was read, all as of one moment.
     *
     * @param rows those that there are
     * @param logs those that have a source
     */
    record Look(Map<String, Row> rows, Map<Log, Progress> logs) {}

    /**
     * Reads rows, and how far logs are durable, as of one moment.
     *
     * @param mostBytes once states of this size are read, the others are left out
     */
    Look read(Collection<String> keys, Collection<Log> logs, long mostBytes);

    /** Only the marks of rows; a key without a row is missing. */
    Map<String, Marks> marks(Collection<String> keys);
}
