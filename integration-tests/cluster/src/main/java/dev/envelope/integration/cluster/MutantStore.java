package dev.envelope.integration.cluster;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.dedupe.Marks;
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
import java.util.stream.Collectors;

/**
 * Stores that break a promise.
 *
 * <p>Threads: thread-safe (the store is).
 */
final class MutantStore {

    private MutantStore() {}

    static StateStore of(Mutant mutant, StateStore store) {
        return switch (mutant) {
            case DEDUPE_OFF -> new Forgetful(store);
            case COMPARE_AND_SET_OFF -> new Forceful(store);
            case NONE, COMMIT_ON_FETCH -> store;
        };
    }

    /** Rows come without marks and ids. */
    private record Forgetful(StateStore store) implements StateStore {

        @Override
        public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
            return store.load(keys, incarnation).entrySet().stream()
                    .collect(Collectors.toMap(Map.Entry::getKey, row -> forget(row.getValue())));
        }

        private static Snapshot forget(Snapshot row) {
            return new Snapshot(
                    row.key(), row.version(), row.state(), Marks.NONE, null, row.parked());
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
            return store.save(changes, patience, incarnation);
        }
    }

    /** A row that has moved on is overwritten. */
    private record Forceful(StateStore store) implements StateStore {

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
            for (int i = 0; i < saved.length; i++) {
                while (!saved[i]) {
                    Change change = changes.get(i);
                    Snapshot row =
                            store.load(List.of(change.key()), incarnation)
                                    .getOrDefault(change.key(), Snapshot.absent(change.key()));
                    saved[i] = store.save(List.of(from(row, change)), patience, incarnation)[0];
                }
            }
            return saved;
        }

        private static Change from(Snapshot row, Change change) {
            return new Change(
                    change.key(),
                    row.version(),
                    change.state(),
                    change.marks(),
                    change.ids(),
                    change.parkedBefore(),
                    change.beside());
        }
    }
}
