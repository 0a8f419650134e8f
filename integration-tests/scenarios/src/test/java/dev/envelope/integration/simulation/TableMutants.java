package dev.envelope.integration.simulation;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.output.OutputSender;
import dev.envelope.idempotency.store.InMemoryTable;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.table.TableRow;
import dev.envelope.idempotency.store.table.TableSettings;
import dev.envelope.idempotency.store.table.TableStore;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Wirings that read a table and each break one promise. */
final class TableMutants {

    private TableMutants() {}

    /** A row is done first, and its effect saved then. */
    static final TableWiring DONE_BEFORE_THE_SAVE =
            saving(
                    (states, table) ->
                            (changes, patience, life) -> {
                                table.done(rowsOf(changes));
                                return states.save(changes, patience, life);
                            });

    /** A row is done although its change has lost. */
    static final TableWiring DONE_WITHOUT_WINNING =
            saving(
                    (states, table) ->
                            (changes, patience, life) -> {
                                boolean[] saved = states.save(changes, patience, life);
                                table.done(rowsOf(changes));
                                return saved;
                            });

    /** The effect is saved, and the row is left. */
    static final TableWiring LEFT =
            saving(
                    (states, table) ->
                            (changes, patience, life) ->
                                    states.save(
                                            changes.stream().map(TableMutants::left).toList(),
                                            patience,
                                            life));

    /** Nobody asks whether a row is still there. */
    static final TableWiring NOT_ASKED =
            new TableWiring() {
                @Override
                public StateStore states(StateStore states, InMemoryTable table) {
                    return new ForwardingStates(states) {
                        @Override
                        public Set<String> waiting(Collection<String> ids, Incarnation life) {
                            return Set.copyOf(ids);
                        }
                    };
                }
            };

    /** What counts is how far reading has come. */
    static final TableWiring HIGH_WATER =
            new TableWiring() {
                @Override
                public TableStore table(TableStore table) {
                    return new HighWater(table);
                }
            };

    /** A save loses what the handler has emitted. */
    static final TableWiring EFFECTS_LOST =
            saving(
                    (states, table) ->
                            (changes, patience, life) ->
                                    states.save(
                                            changes.stream().map(TableMutants::silent).toList(),
                                            patience,
                                            life));

    /** What breaks a promise about outputs where processes read topics breaks it here. */
    static TableWiring as(Wiring ofTopics) {
        return new TableWiring() {
            @Override
            public OutputStore outputs(OutputStore store) {
                return ofTopics.outputs(store);
            }

            @Override
            public OutputSender sender(OutputSender sender) {
                return ofTopics.sender(sender);
            }
        };
    }

    private static Change silent(Change change) {
        return with(
                change,
                new Change.Beside(
                        change.parked(),
                        change.deadLetters(),
                        HandlerEffects.NONE,
                        change.beside().rowsDone()));
    }

    private static Change left(Change change) {
        return with(
                change, new Change.Beside(change.parked(), change.deadLetters(), change.effects()));
    }

    private static Change with(Change change, Change.Beside beside) {
        return new Change(
                change.key(),
                change.fromVersion(),
                change.state(),
                change.marks(),
                change.ids(),
                change.parkedBefore(),
                beside);
    }

    private static List<String> rowsOf(List<Change> changes) {
        return changes.stream().flatMap(it -> it.beside().rowsDone().stream()).toList();
    }

    /** A save. */
    private interface Save {
        boolean[] save(List<Change> changes, StateStore.Patience patience, Incarnation life);
    }

    private static TableWiring saving(BiFunction<StateStore, InMemoryTable, Save> save) {
        return new TableWiring() {
            @Override
            public StateStore states(StateStore states, InMemoryTable table) {
                Save mutant = save.apply(states, table);
                return new ForwardingStates(states) {
                    @Override
                    public boolean[] save(
                            List<Change> changes, Patience patience, Incarnation life) {
                        return mutant.save(changes, patience, life);
                    }
                };
            }
        };
    }

    /** Reads no row below the highest id that it has read. */
    private static final class HighWater implements TableStore {

        private final TableStore table;
        private long highest;

        HighWater(TableStore table) {
            this.table = table;
        }

        @Override
        public TableSettings settings() {
            return table.settings();
        }

        @Override
        public Page read(Part part, TableRow.@Nullable Place behind, Most most) {
            Page page = table.read(part, behind, most);
            long before = highest;
            for (TableRow row : page.rows()) {
                highest = Math.max(highest, Long.parseLong(row.id()));
            }
            return new Page(
                    page.rows().stream().filter(it -> Long.parseLong(it.id()) > before).toList(),
                    page.isLast());
        }

        @Override
        public long count(Part part, long limit) {
            return table.count(part, limit);
        }

        @Override
        public long numbers() {
            return table.numbers();
        }

        @Override
        public boolean await(Duration most) {
            return table.await(most);
        }

        @Override
        public void close() {
            table.close();
        }
    }
}
