package dev.envelope.integration.simulation;

import static dev.envelope.integration.simulation.ForwardingStates.loading;
import static dev.envelope.integration.simulation.ForwardingStates.wiring;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.mailbox.ReadyShards;
import dev.envelope.core.membership.Slots;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.ForwardingTurn;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Wirings that each break one promise, to see that the checks notice. */
final class Mutants {

    private Mutants() {}

    /** The handler never sees marks; what it saves still has them. */
    static final Wiring DEDUPE_OFF = wiring(WithoutMarks::new);

    private static final class WithoutMarks extends ForwardingStates {

        WithoutMarks(StateStore states) {
            super(states);
        }

        @Override
        public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
            Map<String, Snapshot> unmarked = new HashMap<>();
            states.load(keys, incarnation)
                    .forEach(
                            (key, row) ->
                                    unmarked.put(
                                            key,
                                            new Snapshot(
                                                    key,
                                                    row.version(),
                                                    row.state(),
                                                    Marks.NONE,
                                                    null,
                                                    row.parked())));
            return unmarked;
        }

        @Override
        public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
            Set<String> keys = new TreeSet<>();
            changes.stream().filter(c -> !c.isWithoutRow()).forEach(c -> keys.add(c.key()));
            Map<String, Snapshot> rows = states.load(keys, incarnation);
            List<Change> marked = new ArrayList<>();
            for (Change change : changes) {
                Snapshot row = rows.getOrDefault(change.key(), Snapshot.absent(change.key()));
                marked.add(
                        new Change(
                                change.key(),
                                change.fromVersion(),
                                change.state(),
                                furthest(row.marks(), change.marks()),
                                change.ids(),
                                change.parkedBefore(),
                                change.beside()));
            }
            return states.save(marked, patience, incarnation);
        }

        private static Marks furthest(Marks known, Marks made) {
            Marks furthest = known;
            for (int source = 1; source <= 10; source++) {
                if (made.nextOffset(source) > known.nextOffset(source)) {
                    NextOffset next = new NextOffset(made.nextOffset(source), NextOffset.NO_EPOCH);
                    furthest = furthest.advance(source, next);
                }
            }
            return furthest;
        }
    }

    /** A key flows on although messages of it are parked: its row is never seen to count them. */
    static final Wiring PARKED_FORGOTTEN =
            loading(
                    row ->
                            new Snapshot(
                                    row.key(),
                                    row.version(),
                                    row.state(),
                                    row.marks(),
                                    row.ids(),
                                    0));

    /** Every save finds the version that it wants. */
    static final Wiring COMPARE_AND_SET_OFF = wiring(WithoutCompare::new);

    private static final class WithoutCompare extends ForwardingStates {

        WithoutCompare(StateStore states) {
            super(states);
        }

        @Override
        public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
            Set<String> keys = new TreeSet<>();
            changes.stream().filter(c -> !c.isWithoutRow()).forEach(c -> keys.add(c.key()));
            Map<String, Snapshot> rows = states.load(keys, incarnation);
            List<Change> forced = new ArrayList<>();
            for (Change change : changes) {
                Snapshot row = rows.getOrDefault(change.key(), Snapshot.absent(change.key()));
                forced.add(
                        new Change(
                                change.key(),
                                row.version(),
                                change.state(),
                                change.marks(),
                                change.ids(),
                                change.parkedBefore(),
                                change.beside()));
            }
            return states.save(forced, patience, incarnation);
        }
    }

    /** Everything is acked before anything is done with it. */
    static final Wiring COMMIT_ON_FETCH =
            new Wiring() {
                @Override
                public EnvelopeHandler handler(EnvelopeHandler handler) {
                    return turn -> {
                        for (int i = 0; i < turn.envelopes().size(); i++) {
                            turn.settle(i, Outcome.applied(turn.envelopes().get(i)));
                        }
                        handler.handle(new SettledTurn(turn));
                    };
                }
            };

    /** A turn in which all has been said. */
    private static final class SettledTurn extends ForwardingTurn {

        SettledTurn(Turn turn) {
            super(turn);
        }

        @Override
        public void settle(int envelope, Outcome outcome) {}
    }

    /** A shard is given to two workers. */
    static final Wiring ONE_AT_A_TIME_OFF =
            new Wiring() {
                @Override
                public ReadyShards readyShards(ReadyShards readyShards) {
                    int[] calls = {0};
                    return shard -> {
                        readyShards.ready(shard);
                        if (++calls[0] <= 400) {
                            readyShards.ready(shard);
                        }
                    };
                }
            };

    /** What is fetched ahead of the work has no bounds. */
    static final Wiring BUDGET_OFF =
            new Wiring() {
                @Override
                public ConsumerSettings settings(ConsumerSettings settings) {
                    PollLoop.Limits limits = settings.loop();
                    return settings.withLoop(
                            new PollLoop.Limits(
                                    Long.MAX_VALUE,
                                    Long.MAX_VALUE,
                                    limits.commitInterval(),
                                    limits.revokeDeadline()));
                }
            };

    /** What a fold has changed halfway is what the next attempt begins with. */
    static final Wiring HALF_CHANGED_STATE_KEPT =
            new Wiring() {
                @Override
                public Fold<Trace, String> fold(Fold<Trace, String> fold) {
                    return new KeepsHalfChanged(fold);
                }
            };

    private static final class KeepsHalfChanged implements Fold<Trace, String> {

        private final Fold<Trace, String> fold;
        private final Map<String, Trace> kept = new HashMap<>();

        KeepsHalfChanged(Fold<Trace, String> fold) {
            this.fold = fold;
        }

        @Override
        public @Nullable Trace apply(@Nullable Trace state, @Nullable String value, Message message)
                throws Exception {
            Trace begin = kept.remove(message.key());
            Trace used = begin == null ? state : begin;
            try {
                return fold.apply(used, value, message);
            } catch (RuntimeException e) {
                if (used != null) {
                    kept.put(message.key(), used);
                }
                throw e;
            }
        }
    }

    /** A process counts on what it has had. */
    static final Wiring SLOTS_FOR_EVER =
            new Wiring() {
                @Override
                public Slots slots(Slots slots) {
                    return new Remembered(slots);
                }
            };

    private static final class Remembered extends ForwardingSlots {

        private Held last = Held.none(1);

        Remembered(Slots slots) {
            super(slots);
        }

        @Override
        public Held held() {
            Held held = super.held();
            last = held.slots().isEmpty() ? last : held;
            return last;
        }
    }
}
