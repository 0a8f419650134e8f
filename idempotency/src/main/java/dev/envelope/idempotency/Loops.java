package dev.envelope.idempotency;

import dev.envelope.core.Recurring;
import dev.envelope.idempotency.EnvelopeApplication.Parts;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.limit.FrozenLog;
import dev.envelope.idempotency.limit.FrozenWatch;
import dev.envelope.idempotency.output.OutputRelay;
import dev.envelope.idempotency.redrive.RequestDesk;
import dev.envelope.idempotency.redrive.Requests;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.store.parked.FrozenKeys;
import dev.envelope.idempotency.store.place.DividedStore;
import dev.envelope.idempotency.store.place.SlotMoves;
import dev.envelope.idempotency.table.TableSource;
import dev.envelope.idempotency.timer.SavedEffects;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The loops beside the consumer of an application.
 *
 * <p>Threads: thread-safe (immutable); each loop has a thread of its own.
 */
final class Loops {

    private static final Duration FROZEN_EVERY = Duration.ofSeconds(1);
    private static final Duration MOVES_EVERY = Duration.ofSeconds(1);
    private static final Duration PURGE_EVERY = Duration.ofMillis(200);

    /** How often an idle outbox is queried. */
    private static final Duration RELAY_EVERY = Duration.ofMillis(500);

    /** How often outputs are looked for that no save of this process has told of. */
    private static final Duration OUTPUTS_EVERY = Duration.ofMillis(200);

    /** The same without a handler that emits: there may be outputs of an earlier one. */
    private static final Duration FORMER_OUTPUTS_EVERY = Duration.ofSeconds(3);

    /** How long a closing process sends what it has saved last. */
    private static final Duration LAST_OUTPUTS = Duration.ofSeconds(2);

    /** How exactly timers fire. A pass without a due timer compares two numbers. */
    private static final Duration TIMERS_EVERY = Duration.ofMillis(5);

    /** How often a table is looked at that has had nothing new. */
    private static final Duration TABLE_EVERY = Duration.ofMillis(5);

    /** How soon a slot that is free is taken. A pass in between asks for a lock, or nothing. */
    private static final Duration SLOTS_EVERY = Duration.ofMillis(20);

    private final List<Recurring> outputs;
    private final List<Recurring> whileItFetches;
    private final List<Recurring> untilItIsClosed;

    /**
     * What the loops do.
     *
     * @param moves of slots, which is looked at for each place
     * @param table is read; null if topics are
     */
    record Tasks(
            List<AtPlace> atPlaces,
            SlotMoves moves,
            FrozenLog frozenLog,
            @Nullable TableSource table,
            LongSupplier nanoTime) {}

    /** What is done at one place, slot by slot: a place that does not answer holds no other up. */
    record AtPlace(
            List<Outgoing> outgoing,
            List<RequestDesk<?>> desks,
            List<FrozenWatch> frozen,
            List<Recurring.Work> purges,
            List<SlotMoves.Pass> passes) {

        static <S> AtPlace of(
                Parts parts,
                EnvelopeFold<S, ?> fold,
                DividedStore.Shelf shelf,
                List<Outgoing> outgoing,
                SavedEffects effects,
                Supplier<Set<TopicPartition>> owned,
                LongSupplier nanoTime) {
            Retention kept = parts.limits().retention();
            Duration timeout = parts.engine().turns().handlerTimeout();
            List<RequestDesk<?>> desks = new ArrayList<>();
            List<FrozenWatch> frozen = new ArrayList<>();
            List<Recurring.Work> purges = new ArrayList<>();
            List<SlotMoves.Pass> passes = new ArrayList<>();
            shelf.slots().keySet().forEach(it -> passes.add(shelf.moves().passOf(it)));
            for (Store slot : shelf.slots().values()) {
                desks.add(
                        new RequestDesk<>(
                                fold,
                                slot.states(),
                                slot.parked(),
                                slot.requests(),
                                effects,
                                timeout,
                                nanoTime));
                frozen.add(new FrozenWatch(slot.frozen(), owned, nanoTime));
                purges.add(
                        new Purging(
                                slot.deletedKeys(kept.deletedKeys(), kept.audit()),
                                slot.replies(),
                                kept.replies(),
                                parts.telemetry(),
                                nanoTime));
            }
            return new AtPlace(outgoing, desks, frozen, purges, passes);
        }

        /** One pass of each of some work; returns whether there is more to do at once. */
        <T> boolean any(List<T> ofSlots, Predicate<T> turn) {
            return any(ofSlots, turn, its -> {});
        }

        /**
         * @param away is told instead, if the slot is not where it was
         */
        <T> boolean any(List<T> ofSlots, Predicate<T> turn, Consumer<T> away) {
            boolean more = false;
            for (int i = 0; i < ofSlots.size(); i++) {
                T its = ofSlots.get(i);
                boolean[] isThere = {false};
                more |=
                        passes.get(i)
                                .turn(
                                        () -> {
                                            isThere[0] = true;
                                            return turn.test(its);
                                        });
                if (!isThere[0]) {
                    away.accept(its);
                }
            }
            return more;
        }

        List<FrozenKeys> frozenKeys() {
            return frozen.stream().flatMap(slot -> slot.seen().stream()).toList();
        }
    }

    private Loops(
            List<Recurring> outputs,
            List<Recurring> whileItFetches,
            List<Recurring> untilItIsClosed) {
        this.outputs = outputs;
        this.whileItFetches = whileItFetches;
        this.untilItIsClosed = untilItIsClosed;
    }

    /**
     * @param held the slots that divide the partitions; null if the group does
     */
    static Loops start(Parts parts, Tasks tasks, @Nullable SlotLocks held) {
        boolean emits = parts.fold().emits();
        Duration timeout = parts.engine().turns().handlerTimeout();
        List<Recurring> outputs = new ArrayList<>();
        List<Recurring> whileItFetches = new ArrayList<>();
        List<Recurring> untilItIsClosed = new ArrayList<>();
        for (AtPlace place : tasks.atPlaces()) {
            List<Outgoing> slots = place.outgoing();
            boolean hasBroker = slots.get(0).hasBroker();
            boolean isFirst = whileItFetches.isEmpty();
            whileItFetches.addAll(
                    new Requests(place.desks(), place.passes(), timeout, tasks.nanoTime()).loops());
            whileItFetches.add(
                    Recurring.start(
                            "purge",
                            PURGE_EVERY,
                            () -> place.any(place.purges(), Recurring.Work::turn)));
            whileItFetches.add(
                    Recurring.start(
                            "frozen-keys",
                            FROZEN_EVERY,
                            () -> {
                                if (isFirst) {
                                    tasks.frozenLog().look();
                                }
                                return place.any(place.frozen(), FrozenWatch::turn);
                            }));
            if (parts.fold().setsTimers()) {
                whileItFetches.add(
                        Recurring.start(
                                "timers",
                                TIMERS_EVERY,
                                () -> place.any(slots, it -> it.timers().turn())));
            }
            outputs.add(
                    Recurring.start(
                            "outputs",
                            emits ? OUTPUTS_EVERY : FORMER_OUTPUTS_EVERY,
                            () ->
                                    hasBroker
                                            && place.any(
                                                    slots,
                                                    it -> send(it.outputs(), emits),
                                                    it -> it.outputs().away()),
                            () -> leave(place)));
            if (hasBroker) {
                untilItIsClosed.add(
                        Recurring.start(
                                "relay",
                                RELAY_EVERY,
                                () ->
                                        place.any(
                                                slots,
                                                it -> it.relay().turn(),
                                                it -> it.relay().away()),
                                () -> place.any(slots, Loops::leaveRelay)));
            }
        }
        for (int place = 0; place < tasks.moves().places(); place++) {
            int its = place;
            whileItFetches.add(
                    Recurring.start(
                            "moves",
                            MOVES_EVERY,
                            () -> {
                                tasks.moves().look(its);
                                return false;
                            }));
        }
        untilItIsClosed.addAll(0, outputs);
        @Nullable TableSource table = tasks.table();
        if (table != null) {
            whileItFetches.add(Recurring.start("table", TABLE_EVERY, table::turn));
        }
        if (held != null) { // given up when the consumer has committed
            untilItIsClosed.add(Recurring.start("slots", SLOTS_EVERY, held::turn, held::close));
        }
        return new Loops(outputs, whileItFetches, untilItIsClosed);
    }

    private static boolean send(OutputRelay relay, boolean emits) {
        return (emits || relay.isNeeded()) && relay.turn();
    }

    private static void leave(AtPlace place) {
        place.any(
                place.outgoing(),
                slot -> {
                    if (slot.hasBroker()) {
                        slot.outputs().drain(LAST_OUTPUTS);
                        slot.outputs().leave();
                    }
                    return false;
                });
    }

    private static boolean leaveRelay(Outgoing slot) {
        slot.relay().leave();
        return false;
    }

    /** There are outputs to send. */
    void wakeOutputs() {
        outputs.forEach(Recurring::wake);
    }

    List<Recurring.Status> status() {
        List<Recurring.Status> all = new ArrayList<>();
        whileItFetches.forEach(loop -> all.add(loop.status()));
        untilItIsClosed.forEach(loop -> all.add(loop.status()));
        return all;
    }

    /**
     * Ends the loops that a closing consumer does not need, without waiting for them: while the
     * database does not answer, that would take longer than the process has to end.
     */
    void stopFirst() {
        whileItFetches.forEach(Recurring::stop);
    }

    /** Ends those that send what the consumer has saved last, and waits for all. */
    void close() {
        List<Recurring> all = new ArrayList<>(untilItIsClosed);
        all.addAll(whileItFetches);
        Recurring.close(all);
    }
}
