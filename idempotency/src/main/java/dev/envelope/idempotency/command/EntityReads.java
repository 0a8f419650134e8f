package dev.envelope.idempotency.command;

import dev.envelope.core.api.UnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows for callers outside, those of many callers in one statement, from the primary.
 *
 * <p>Threads: thread-safe. Futures are completed on its own thread: what runs behind them must not
 * block.
 */
public final class EntityReads implements AutoCloseable {

    /**
     * A row.
     *
     * @param state its JSON as UTF-8; null if the key was deleted or has only marks
     * @param nextOffsets for each partition the next offset that is not applied to it
     * @param age how long ago it was saved, by the clock of the database
     */
    public record Entity(
            byte @Nullable [] state,
            long version,
            Map<TopicPartition, Long> nextOffsets,
            Instant updatedAt,
            Duration age) {}

    /** The rows are too large to be read together: ask for fewer. */
    public static final class TooLargeException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        TooLargeException(String message) {
            super(message);
        }
    }

    /** What a read that waits has found. */
    public sealed interface Read {

        /**
         * The offset is passed.
         *
         * @param entity null if the key has no row
         */
        record Found(@Nullable Entity entity) implements Read {}

        /**
         * The offset was not passed in time.
         *
         * @param entity as it is now; null if the key has no row
         */
        record TimeOver(@Nullable Entity entity) implements Read {}

        /** The application reads no such partition. */
        record UnknownPartition(String why) implements Read {}

        /** The topic was deleted and created again: offsets of it can't be compared with rows. */
        record Recreated(String why) implements Read {}
    }

    /**
     * The rows of these keys, all as of the same moment. A key without a row is missing.
     *
     * @return completed with an {@link UnavailableException} if the database does not answer or too
     *     many wait, with a {@link TooLargeException} if the rows are too large
     */
    public CompletableFuture<Map<String, Entity>> read(Collection<String> keys) {
        return CompletableFuture.failedFuture(new UnavailableException("not built yet"));
    }

    /**
     * The row of a key, once everything of a partition up to an offset is applied.
     *
     * @return completed with an {@link UnavailableException} if the database does not answer or too
     *     many wait
     */
    public CompletableFuture<Read> read(String key, LogPosition atLeast, Duration wait) {
        return CompletableFuture.failedFuture(new UnavailableException("not built yet"));
    }

    /** Completes what is under way, with an exception, and ends its threads. */
    @Override
    public void close() {}
}
