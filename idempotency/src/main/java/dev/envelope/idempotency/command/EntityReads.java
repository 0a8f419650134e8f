package dev.envelope.idempotency.command;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.Store;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows for callers outside, those of many callers in one statement, from the primary.
 *
 * <p>Threads: thread-safe. Futures are completed on its own thread: what runs behind them must not
 * block.
 */
public final class EntityReads implements AutoCloseable {

    private static final String ENDING = "the process is ending";

    private final TopicsNow topics;
    private final Room room;
    private final ReadDesk desk;
    private final OwnThread looker;
    private final OwnThread own;
    private volatile boolean isClosing;

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

        /** The offset was not passed in time. */
        record TimeOver() implements Read {}

        /** The application reads no such partition. */
        record UnknownPartition(String why) implements Read {}

        /**
         * The topic was deleted and created again, and nobody has said yet what becomes of that:
         * its offsets can't be compared with rows.
         */
        record Recreated(String why) implements Read {}
    }

    private EntityReads(
            ReadLookup lookup, TopicsNow topics, Commands.Limits limits, LongSupplier nanoTime) {
        this.topics = topics;
        this.room = new Room(limits.waiting(), limits.bytes());
        this.looker = new OwnThread("entity-rows", () -> OwnThread.NOT_DUE, () -> {});
        this.desk = new ReadDesk(lookup, looker, this::run, room, nanoTime);
        this.own = new OwnThread("entity-reads", desk::turn, desk::close);
    }

    /**
     * Opens them.
     *
     * @param topics looked at by somebody else
     * @param limits how many reads may be under way, and how large may be what was read for them
     */
    public static EntityReads open(
            Store store, TopicsNow topics, Commands.Limits limits, LongSupplier nanoTime) {
        Sources sources = new Sources(store.checkpoints(), topics, nanoTime);
        return new EntityReads(
                new ReadLookup(store.reads(), sources, topics), topics, limits, nanoTime);
    }

    private void run(Runnable task) {
        own.execute(task);
    }

    /**
     * The rows of these keys, all as of the same moment. A key without a row is missing.
     *
     * @param over completed by the caller once it has its answer, or is gone: until then the read
     *     is under way, and what was read is counted
     * @return completed with an {@link UnavailableException} if the database does not answer or too
     *     many wait, with a {@link TooLargeException} if the rows are too large
     */
    public CompletableFuture<Map<String, Entity>> read(
            Collection<String> keys, CompletableFuture<?> over) {
        Set<String> asked = Set.copyOf(keys);
        CompletableFuture<Map<String, Entity>> future = new CompletableFuture<>();
        return admitted(future, over, () -> desk.take(asked, future, over));
    }

    /**
     * The row of a key, once everything of a partition up to an offset is applied or set aside.
     *
     * @param over as for reads that do not wait
     * @return completed with an {@link UnavailableException} if the database does not answer or too
     *     many wait, with a {@link TooLargeException} never: one row always fits
     */
    public CompletableFuture<Read> read(
            String key, LogPosition atLeast, Duration wait, CompletableFuture<?> over) {
        CompletableFuture<Read> future = new CompletableFuture<>();
        if (!topics.names().contains(atLeast.topic())) {
            future.complete(
                    new Read.UnknownPartition(
                            "this application does not read a topic " + atLeast.topic()));
            return future;
        }
        return admitted(future, over, () -> desk.take(key, atLeast, wait, future, over));
    }

    private <T> CompletableFuture<T> admitted(
            CompletableFuture<T> future, CompletableFuture<?> over, Runnable take) {
        if (isClosing) {
            future.completeExceptionally(new UnavailableException(ENDING));
            return future;
        } else if (!room.enter()) {
            future.completeExceptionally(new UnavailableException("too many reads are under way"));
            return future;
        }
        var unused =
                over.whenComplete(
                        (it, failure) -> {
                            future.cancel(false); // it is gone, if it has no answer yet
                            room.leave();
                        });
        own.execute(take);
        if (isClosing) { // its thread may have ended in between
            future.completeExceptionally(new UnavailableException(ENDING));
        }
        return future;
    }

    /** How many reads are under way. */
    public int waiting() {
        return room.waiting();
    }

    /** Completes what is under way, with an exception, and ends its threads. */
    @Override
    public void close() {
        isClosing = true;
        own.close();
        looker.close();
    }
}
