package dev.envelope.idempotency.command;

import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.command.EntityReads.Read;
import dev.envelope.idempotency.store.place.CallersStore.AtPlace;
import dev.envelope.idempotency.store.reply.InMemoryReplies;
import dev.envelope.idempotency.store.row.RowReads;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Reads that wait for offsets, as {@link EntityReads} wires them, without threads: whoever has them
 * runs what they give it and calls their turns.
 *
 * <p>Threads: one thread.
 */
public final class DrivenReads {

    /** What {@link #turn} returns if nothing is due until something was run. */
    public static final long NOT_DUE = OwnThread.NOT_DUE;

    private final ReadDesk desk;

    /**
     * @param looker runs looks at the database, one at a time
     * @param self runs what follows from them; a turn is due behind that
     */
    public DrivenReads(
            RowReads rows,
            Checkpoints checkpoints,
            TopicsNow topics,
            Executor looker,
            Executor self,
            LongSupplier nanoTime) {
        AtPlace store =
                AtPlace.undivided(rows, new InMemoryReplies(Clock.systemUTC()), checkpoints);
        Room room = new Room(Integer.MAX_VALUE, Long.MAX_VALUE);
        desk = new ReadDesk(new ReadLookup(store, topics, nanoTime), looker, self, room, nanoTime);
    }

    /** Begins a read; a turn is due behind it. */
    public CompletableFuture<Read> read(String key, LogPosition atLeast, Duration wait) {
        CompletableFuture<Read> future = new CompletableFuture<>();
        desk.take(key, atLeast, wait, future, future);
        return future;
    }

    /** Does what is due; returns in how many nanoseconds it has to be called again. */
    public long turn() {
        return desk.turn();
    }
}
