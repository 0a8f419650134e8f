package dev.envelope.idempotency;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.TimerId;
import dev.envelope.idempotency.timer.SavedEffects;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store that keeps what the saves that won have put out, and handlers on it.
 *
 * <p>Threads: one thread.
 */
final class EffectBench implements StateStore {

    private final HandlerBench bench;
    final List<Output> outputs = new ArrayList<>();
    MessageIds ids = MessageIds.NONE;
    final List<CommandId> answered = new ArrayList<>(); // as callers who wait are told
    OutputRoom room = OutputRoom.endless();
    int askedForAnswers;

    EffectBench(HandlerBench bench) {
        this.bench = bench;
    }

    @Override
    public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
        return bench.store.load(keys, incarnation);
    }

    @Override
    public Map<String, Map<String, DueTimer>> dueTimers(
            Collection<TimerId> timers, Incarnation incarnation) {
        return bench.store.dueTimers(timers, incarnation);
    }

    @Override
    public Set<String> waiting(Collection<String> rowIds, Incarnation incarnation) {
        return bench.store.waiting(rowIds, incarnation);
    }

    @Override
    public Map<CommandId, Reply.At> appliedCommands(
            Collection<CommandId> commands, Incarnation incarnation) {
        askedForAnswers++;
        return bench.store.appliedCommands(commands, incarnation);
    }

    @Override
    public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
        boolean[] saved = bench.store.save(changes, patience, incarnation);
        for (int i = 0; i < saved.length; i++) {
            if (saved[i]) {
                outputs.addAll(changes.get(i).outputs());
            }
        }
        return saved;
    }

    /** Each output: topic, key, value and ordinal. */
    List<String> all() {
        return outputs.stream()
                .map(
                        it ->
                                it.topic()
                                        + " "
                                        + text(it.key())
                                        + " "
                                        + text(it.value())
                                        + " "
                                        + it.ordinal())
                .toList();
    }

    private static @Nullable String text(byte @Nullable [] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    IdempotentHandler<StringBuilder> handler(
            UserFold<StringBuilder, String> fold, PuttingOut out, SetAsideLimits limits) {
        return new IdempotentHandler<>(
                new EnvelopeFold<>(
                        fold,
                        HandlerBench.CODEC,
                        (value, message) -> new String(value, StandardCharsets.UTF_8),
                        message -> ids.find(message),
                        IdLimits.ofCount(8),
                        HandlerBench.MAX_STATE_BYTES,
                        out),
                this,
                new SnapshotCache<>(1 << 20),
                bench.counts,
                new IdempotentHandler.Bounds(
                        OutboxRoom.endless(),
                        CrashStore.NONE,
                        limits,
                        new SavedEffects(room, timers -> {}, answered::add),
                        List::of,
                        envelope -> null),
                null);
    }
}
