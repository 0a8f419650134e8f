package dev.envelope.integration.simulation;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.IdempotentHandler;
import dev.envelope.idempotency.store.SourceCopies;
import dev.envelope.idempotency.store.row.StateStore;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;

/** Wirings that each break one promise about rows that are divided. */
final class PlaceMutants {

    private PlaceMutants() {}

    /** Of the slots that a source feeds only the first is asked how far it is. */
    static final Wiring LOWEST_OF_THE_FIRST_SLOT_ALONE =
            new Wiring() {
                @Override
                public Checkpoints checkpoints(Checkpoints checkpoints) {
                    SimStore slot = (SimStore) checkpoints;
                    return LogMutants.with(
                            checkpoints,
                            source ->
                                    Objects.requireNonNullElse(
                                            slot.homeCheckpoint(source.number()),
                                            source.checkpoint()));
                }
            };

    /** Only the life of the first slot's place counts. */
    static final Wiring LIFE_OF_ANOTHER_PLACE =
            new Wiring() {
                @Override
                public StateStore states(StateStore states) {
                    return isElsewhere((SimStore) states)
                            ? LogMutants.INCARNATIONS_OFF.states(states)
                            : states;
                }

                @Override
                public Checkpoints checkpoints(Checkpoints checkpoints) {
                    return isElsewhere((SimStore) checkpoints)
                            ? LogMutants.INCARNATIONS_OFF.checkpoints(checkpoints)
                            : checkpoints;
                }
            };

    private static boolean isElsewhere(SimStore store) {
        return store.place() != store.homePlace();
    }

    /** A slot is moved, and its schema keeps its name where it was. */
    static final Wiring MOVED_WITHOUT_ANOTHER_NAME =
            new Wiring() {
                @Override
                public boolean movesHide() {
                    return false;
                }
            };

    /** Workers take shards of all places into one turn. */
    static final Wiring TURNS_OVER_PLACES =
            new Wiring() {
                @Override
                public ConsumerSettings settings(ConsumerSettings settings) {
                    int slots = settings.division().slots();
                    return settings.withDivision(new Division(Collections.nCopies(slots, 0)));
                }
            };

    /** Rows are saved in slots that don't know their sources. */
    static final Wiring INTRODUCTIONS_OFF =
            new Wiring() {
                @Override
                public IdempotentHandler.Bounds bounds(IdempotentHandler.Bounds bounds) {
                    return new IdempotentHandler.Bounds(
                            bounds.room(),
                            bounds.crashes(),
                            bounds.limits(),
                            bounds.effects(),
                            bounds.replacements(),
                            envelope -> null);
                }
            };

    /** What a slot is told of begins for it at the present end of its log. */
    static final Wiring INTRODUCED_AT_THE_END =
            new Wiring() {
                @Override
                public SourceCopies sources(SourceCopies sources, SimStore slot) {
                    return new Copies(
                            sources,
                            (source, checkpoint) -> {
                                SimPartition log = slot.log().find(source.partition());
                                return log == null ? checkpoint : log.end();
                            });
                }
            };

    /** Sources as they are; a mutant tells slots something else. */
    private static class Copies implements SourceCopies {

        private final SourceCopies sources;
        private final Beginning beginning;

        Copies(SourceCopies sources, Beginning beginning) {
            this.sources = sources;
            this.beginning = beginning;
        }

        @Override
        public Map<Integer, SortedSet<Integer>> fed() {
            return sources.fed();
        }

        @Override
        public void feeds(int source, int slot) {
            sources.feeds(source, slot);
        }

        @Override
        public List<Copy> all() {
            return sources.all();
        }

        @Override
        public void copy(Copy source, NextOffset checkpoint) {
            sources.copy(source, beginning.of(source, checkpoint));
        }

        @Override
        public void giveNoNumberUpTo(int number) {
            sources.giveNoNumberUpTo(number);
        }
    }

    /** Where a source begins for a slot that is told of it. */
    private interface Beginning {
        NextOffset of(SourceCopies.Copy source, NextOffset checkpoint);
    }
}
