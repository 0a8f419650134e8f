package dev.envelope.integration.simulation;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.TimerId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The rows as they are: a mutant changes what it breaks. */
class ForwardingStates implements StateStore {

    final StateStore states;

    ForwardingStates(StateStore states) {
        this.states = states;
    }

    /** A wiring with other rows. */
    static Wiring wiring(UnaryOperator<StateStore> change) {
        return new Wiring() {
            @Override
            public StateStore states(StateStore states) {
                return change.apply(states);
            }
        };
    }

    /** A wiring in which loaded rows are others. */
    static Wiring loading(UnaryOperator<Snapshot> change) {
        return wiring(
                it ->
                        new ForwardingStates(it) {
                            @Override
                            public Map<String, Snapshot> load(
                                    Collection<String> keys, Incarnation incarnation) {
                                Map<String, Snapshot> rows = new HashMap<>();
                                states.load(keys, incarnation)
                                        .forEach((key, row) -> rows.put(key, change.apply(row)));
                                return rows;
                            }
                        });
    }

    /** A wiring in which what a save has beside the rows is something else. */
    static Wiring saving(Function<Change, Change.Beside> change) {
        return wiring(
                it ->
                        new ForwardingStates(it) {
                            @Override
                            public boolean[] save(
                                    List<Change> changes,
                                    Patience patience,
                                    Incarnation incarnation) {
                                return states.save(
                                        changes.stream().map(this::changed).toList(),
                                        patience,
                                        incarnation);
                            }

                            private Change changed(Change of) {
                                return with(of, of.fromVersion(), change.apply(of));
                            }
                        });
    }

    /** The same change from another version, with something else beside the row. */
    static Change with(Change of, long fromVersion, Change.Beside beside) {
        return new Change(
                of.key(), fromVersion, of.state(), of.marks(), of.ids(), of.parkedBefore(), beside);
    }

    @Override
    public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
        return states.load(keys, incarnation);
    }

    @Override
    public Map<String, Map<String, DueTimer>> dueTimers(
            Collection<TimerId> timers, Incarnation incarnation) {
        return states.dueTimers(timers, incarnation);
    }

    @Override
    public Set<String> waiting(Collection<String> rowIds, Incarnation incarnation) {
        return states.waiting(rowIds, incarnation);
    }

    @Override
    public Map<CommandId, Reply.At> appliedCommands(
            Collection<CommandId> commands, Incarnation incarnation) {
        return states.appliedCommands(commands, incarnation);
    }

    @Override
    public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
        return states.save(changes, patience, incarnation);
    }
}
