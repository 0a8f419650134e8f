package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Pauses;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.timer.TimerStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A store under test, empty at first, and what its contract has to see behind the ports. */
public interface StoreFixture extends AutoCloseable {

    StateStore states();

    Checkpoints checkpoints();

    /** The sources as other slots have them. */
    SourceCopies sources();

    /** The rows for callers outside. */
    RowReads reads();

    /** The outbox, as a process of that name sees it. */
    OutboxStore outbox(String process);

    /** A start of a process of that name. */
    Started start(String process);

    /** What a process has of the store, as far as effects of handlers go. */
    record Started(
            StateStore states,
            ParkedStore parked,
            RequestStore requests,
            OutputStore outputs,
            TimerStore timers) {}

    /** An operator asks that process to redrive a key, and it saves that, as its only step. */
    default boolean redrives(
            Started process, Snapshot next, List<Long> positions, HandlerEffects effects) {
        ask(next.key(), Action.REDRIVE, null, null, null);
        RequestStore requests = process.requests();
        Request request = requests.take(Duration.ofMinutes(1)).orElseThrow();
        Incarnation now = requests.incarnation();
        boolean isSaved = process.parked().save(request, next, positions, effects, now);
        requests.answer(request, "done", now);
        return isSaved;
    }

    /** What operators have asked for, as a process of that name sees it. */
    RequestStore requests(String process);

    /** An operator asks for something. */
    void ask(
            String key,
            Action action,
            @Nullable Long position,
            @Nullable Long version,
            @Nullable String state);

    /** A person deletes a row by hand. */
    void deleteRow(String key);

    /** All parked messages, in the order in which they were parked. */
    List<ParkedRecord> parked();

    /** What was left out for good: number of the source, first offset, last offset, cause. */
    List<String> skipped();

    /** Says that rows of deleted keys were purged, which that source had been applied to so far. */
    void purgedTo(int source, NextOffset next);

    /** An operator drops parked messages that can't have a row. */
    void dropWithoutRow(int source, long offset);

    /** An operator holds something back, or lets it go on; false if that can't be. */
    boolean pause(Pauses.Kind kind, String name, Optional<Duration> time);

    boolean resume(Pauses.Kind kind, String name);

    /** Whether the state in that row can be cast to {@code jsonb}, asked of who stores it. */
    boolean castsToJsonb(String key);

    @Override
    void close();

    /**
     * What is to be seen of a parked message.
     *
     * @param rowKey empty for a message that can't have a row
     */
    record ParkedRecord(String rowKey, int source, long offset, String value, String reason) {}
}
