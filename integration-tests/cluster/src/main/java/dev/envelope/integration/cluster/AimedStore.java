package dev.envelope.integration.cluster;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.TimerId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A store behind which the process may end: the transaction is through, and nobody knows.
 *
 * <p>Threads: thread-safe (its parts are).
 */
record AimedStore(StateStore store, Trigger trigger) implements StateStore {

    @Override
    public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
        return store.load(keys, incarnation);
    }

    @Override
    public Map<String, Map<String, DueTimer>> dueTimers(
            Collection<TimerId> timers, Incarnation incarnation) {
        return store.dueTimers(timers, incarnation);
    }

    @Override
    public Set<String> waiting(Collection<String> rowIds, Incarnation incarnation) {
        return store.waiting(rowIds, incarnation);
    }

    @Override
    public Map<CommandId, Reply.At> appliedCommands(
            Collection<CommandId> commands, Incarnation incarnation) {
        return store.appliedCommands(commands, incarnation);
    }

    @Override
    public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
        boolean[] saved = store.save(changes, patience, incarnation);
        trigger.at(Aim.AFTER_SAVE);
        return saved;
    }
}
