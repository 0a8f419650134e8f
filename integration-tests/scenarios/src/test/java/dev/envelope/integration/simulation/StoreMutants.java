package dev.envelope.integration.simulation;

import static dev.envelope.integration.simulation.ForwardingStates.loading;
import static dev.envelope.integration.simulation.ForwardingStates.wiring;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StoreException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Wirings that each break one promise about what befalls rows of the database. */
final class StoreMutants {

    private StoreMutants() {}

    /** Whoever loads a key does not get to know how far rows were purged. */
    static final Wiring PURGED_FORGOTTEN = loading(row -> row.marked(row.marks()));

    /** Whoever meets a lock waits for it, with all that he would save together. */
    static final Wiring LOCKS_WAITED_FOR = wiring(Waiting::new);

    private static final class Waiting extends ForwardingStates {

        Waiting(StateStore states) {
            super(states);
        }

        @Override
        public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
            return states.save(changes, Patience.WAIT, incarnation);
        }
    }

    /** A statement that takes too long is taken for one that waits for a lock. */
    static final Wiring TIME_OUTS_TAKEN_FOR_LOCKS = wiring(Mistaken::new);

    private static final class Mistaken extends ForwardingStates {

        Mistaken(StateStore states) {
            super(states);
        }

        @Override
        public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
            try {
                return states.save(changes, patience, incarnation);
            } catch (UnavailableException e) {
                if (String.valueOf(e.getMessage()).contains("statement timeout")) {
                    throw new StoreException.RowLocked("time-out", new SQLException("57014"));
                }
                throw e;
            }
        }
    }

    /** A row that is refused is the fault of all that were to be saved with it. */
    static final Wiring ALL_BLAMED_FOR_ONE_ROW = wiring(Blaming::new);

    private static final class Blaming extends ForwardingStates {

        private final Set<String> blamed = new HashSet<>();

        Blaming(StateStore states) {
            super(states);
        }

        @Override
        public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
            for (Change change : changes) {
                if (change.parked().isEmpty() && blamed.remove(change.key())) {
                    throw new StoreException.RowFault("blamed", new SQLException("23514"));
                }
            }
            try {
                return states.save(changes, patience, incarnation);
            } catch (StoreException.RowFault e) {
                changes.forEach(it -> blamed.add(it.key()));
                throw e;
            }
        }
    }

    /** Whoever does not know whether it was saved says that it was. */
    static final Wiring UNKNOWN_TAKEN_FOR_SAVED = wiring(Trusting::new);

    private static final class Trusting extends ForwardingStates {

        Trusting(StateStore states) {
            super(states);
        }

        @Override
        public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
            try {
                return states.save(changes, patience, incarnation);
            } catch (OtherIncarnationException e) {
                throw e;
            } catch (UnavailableException e) {
                if (!String.valueOf(e.getMessage()).contains("connection reset")) {
                    throw e;
                }
                boolean[] all = new boolean[changes.size()];
                Arrays.fill(all, true);
                return all;
            }
        }
    }
}
