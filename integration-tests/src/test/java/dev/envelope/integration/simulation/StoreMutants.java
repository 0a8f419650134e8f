package dev.envelope.integration.simulation;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.Change;
import dev.envelope.idempotency.store.Snapshot;
import dev.envelope.idempotency.store.StateStore;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Wirings that each break one promise about what befalls rows of the database. */
final class StoreMutants {

    private StoreMutants() {}

    /** Whoever loads a key does not get to know how far rows were purged. */
    static final Wiring PURGED_FORGOTTEN =
            new Wiring() {
                @Override
                public StateStore states(StateStore states) {
                    return new WithoutPurged(states);
                }
            };

    private record WithoutPurged(StateStore states) implements StateStore {

        @Override
        public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
            Map<String, Snapshot> rows = new HashMap<>();
            states.load(keys, incarnation)
                    .forEach((key, row) -> rows.put(key, row.marked(row.marks())));
            return rows;
        }

        @Override
        public boolean[] save(List<Change> changes, Locks locks, Incarnation incarnation) {
            return states.save(changes, locks, incarnation);
        }
    }

    /** Whoever meets a lock waits for it, with all that he would save together. */
    static final Wiring LOCKS_WAITED_FOR =
            new Wiring() {
                @Override
                public StateStore states(StateStore states) {
                    return new Waiting(states);
                }
            };

    private record Waiting(StateStore states) implements StateStore {

        @Override
        public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
            return states.load(keys, incarnation);
        }

        @Override
        public boolean[] save(List<Change> changes, Locks locks, Incarnation incarnation) {
            return states.save(changes, Locks.WAIT, incarnation);
        }
    }
}
