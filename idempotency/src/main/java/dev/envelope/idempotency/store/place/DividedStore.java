package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.PartitionStops;
import dev.envelope.idempotency.store.PoolUse;
import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.store.parked.Replacement;
import dev.envelope.idempotency.store.row.StateStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The stores of an application: one for each slot of its rows, at one place or several.
 *
 * <p>Threads: thread-safe.
 */
public final class DividedStore implements AutoCloseable {

    private final Places places;
    private final Checkpoints checkpoints;
    private final List<Shelf> shelves = new ArrayList<>();
    private final Reachable reachable;
    private final SlotMoves moves;
    private final Supplier<CallersStore> callers;

    /**
     * What a handler keeps at one place.
     *
     * @param states the rows
     * @param crashes the messages that were being folded when processes died
     * @param stops how much is parked there of a partition, and which partitions stay stopped
     * @param slots the stores of the slots, by their numbers
     * @param moves which of these have left
     * @param admission says whether an envelope has to wait before anything of it is saved
     */
    public record Shelf(
            StateStore states,
            CrashStore crashes,
            PartitionStops stops,
            SortedMap<Integer, Store> slots,
            SlotMoves moves,
            Function<Envelope, @Nullable Outcome> admission) {

        /** The values that operators have put in place of those of messages. */
        public List<Replacement> replacements() {
            return slots.entrySet().stream()
                    .flatMap(
                            it ->
                                    moves
                                            .askOr(
                                                    List.<Replacement>of(),
                                                    it.getKey(),
                                                    () -> it.getValue().parked().replacements())
                                            .stream())
                    .toList();
        }
    }

    /** Rows that are not divided. */
    public static DividedStore of(Store undivided) {
        return new DividedStore(undivided);
    }

    private DividedStore(Store undivided) {
        this.places =
                new Places(
                        Division.NONE,
                        List.of(
                                new Place(
                                        "",
                                        undivided.states(),
                                        new TreeMap<>(Map.of(0, undivided)))));
        this.checkpoints = undivided.checkpoints();
        this.reachable = new Reachable(List.of(), () -> 0);
        this.moves = places.moves();
        this.callers = () -> new CallersStore(undivided);
        shelves.add(
                new Shelf(
                        undivided.states(),
                        undivided.crashes(),
                        undivided.stops(),
                        new TreeMap<>(Map.of(0, undivided)),
                        moves,
                        envelope -> null));
    }

    /**
     * Rows that are divided.
     *
     * @param all by their numbers in the division
     */
    public DividedStore(Division division, List<Place> all, LongSupplier nanoTime) {
        this.places = new Places(division, all);
        Lives lives = new Lives(places.names());
        FedSlots fed = new FedSlots(places, lives);
        this.reachable = new Reachable(places.names(), nanoTime);
        this.moves = places.moves();
        LateSlots late = new LateSlots(fed, lives, nanoTime);
        this.checkpoints = new DividedCheckpoints(places, fed, lives, reachable, late);
        CallersStore ofAll = new CallersStore(places, fed, nanoTime);
        this.callers = () -> ofAll;
        for (int place = 0; place < all.size(); place++) {
            Place its = all.get(place);
            shelves.add(
                    new Shelf(
                            new PlacedStates(place, its.states(), lives, moves),
                            new PlacedCrashes(division, its.slots(), moves),
                            new PlacedStops(its.slots(), places.home(), moves),
                            its.slots(),
                            moves,
                            admission(new Introductions(division, fed, nanoTime))));
        }
    }

    private Function<Envelope, @Nullable Outcome> admission(Introductions introductions) {
        return envelope -> {
            @Nullable Outcome away = moves.admit(envelope);
            return away == null ? introductions.apply(envelope) : away;
        };
    }

    public Division division() {
        return places.division();
    }

    /** Which slots are being moved to other databases. */
    public SlotMoves moves() {
        return moves;
    }

    public boolean isDivided() {
        return places.slots().size() > 1;
    }

    /** The store of each slot. */
    public List<Store> slots() {
        return places.slots();
    }

    /** The store of the first slot, which has also what is of no key. */
    public Store home() {
        return places.home();
    }

    /** What handlers keep, place by place. */
    public List<Shelf> shelves() {
        return shelves;
    }

    /** The sources and their checkpoints, of all slots as one. */
    public Checkpoints checkpoints() {
        return checkpoints;
    }

    /** What callers outside are answered from. */
    public CallersStore callers() {
        return callers.get();
    }

    /** The places, as this process sees them; none where rows are not divided. */
    public List<PlaceStatus> seen() {
        List<PlaceStatus> seen = new ArrayList<>();
        for (int place = 0; isDivided() && place < places.all().size(); place++) {
            seen.add(
                    new PlaceStatus(
                            places.nameOf(place),
                            division().slotsAt(place),
                            reachable.silence(place),
                            moves.sentences(place)));
        }
        return seen;
    }

    /** The present use of the connection pools of all places. */
    public List<PoolUse> pools() {
        return places.all().stream()
                .flatMap(place -> place.any().pools().stream().map(use -> named(use, place)))
                .toList();
    }

    private PoolUse named(PoolUse use, Place place) {
        return place.name().isEmpty() ? use : use.at(place.name());
    }

    @Override
    public void close() {
        places.slots().forEach(Store::close);
    }

    /** The suspects of all slots of a place. A message is in the slot of its key. */
    private record PlacedCrashes(
            Division division, SortedMap<Integer, Store> slots, SlotMoves moves)
            implements CrashStore {

        private CrashStore of(Message message) {
            Store slot = slots.get(division.slotOf(message.key()));
            if (slot == null) {
                throw new IllegalArgumentException(message + " is of another place");
            }
            return slot.crashes();
        }

        @Override
        public List<Suspect> suspects() {
            return slots.entrySet().stream()
                    .flatMap(
                            it ->
                                    moves
                                            .askOr(
                                                    List.<Suspect>of(),
                                                    it.getKey(),
                                                    () -> it.getValue().crashes().suspects())
                                            .stream())
                    .toList();
        }

        @Override
        public void count(Collection<Message> messages) {
            messages.forEach(message -> of(message).count(List.of(message)));
        }

        @Override
        public void countUpTo(Message message, int times) {
            of(message).countUpTo(message, times);
        }

        @Override
        public void forget(Message message) {
            of(message).forget(message);
        }
    }

    /** How much of a partition is parked at a place. Which are stopped is with the first slot. */
    private record PlacedStops(SortedMap<Integer, Store> slots, Store home, SlotMoves moves)
            implements PartitionStops {

        @Override
        public long parked(int source) {
            return slots.entrySet().stream()
                    .mapToLong(
                            it ->
                                    moves.askOr(
                                            0L,
                                            it.getKey(),
                                            () -> it.getValue().stops().parked(source)))
                    .sum();
        }

        @Override
        public void stop(int source, String reason) {
            home.stops().stop(source, reason);
        }
    }
}
