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
    private final CallersStore callers;

    /**
     * What a handler keeps at one place.
     *
     * @param states the rows
     * @param crashes the messages that were being folded when processes died
     * @param stops how much is parked there of a partition, and which partitions stay stopped
     * @param slots the stores of the slots, by their numbers
     * @param admission says whether an envelope has to wait before anything of it is saved
     */
    public record Shelf(
            StateStore states,
            CrashStore crashes,
            PartitionStops stops,
            SortedMap<Integer, Store> slots,
            Function<Envelope, @Nullable Outcome> admission) {

        /** The values that operators have put in place of those of messages. */
        public List<Replacement> replacements() {
            return slots.values().stream()
                    .flatMap(slot -> slot.parked().replacements().stream())
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
        this.callers = new CallersStore(undivided);
        shelves.add(
                new Shelf(
                        undivided.states(),
                        undivided.crashes(),
                        undivided.stops(),
                        new TreeMap<>(Map.of(0, undivided)),
                        envelope -> null));
    }

    /**
     * Rows that are divided.
     *
     * @param all by their numbers in the division
     */
    public DividedStore(Division division, List<Place> all, LongSupplier nanoTime) {
        this.places = new Places(division, all);
        FedSlots fed = new FedSlots(places);
        Lives lives = new Lives(places.names());
        this.reachable = new Reachable(places.names(), nanoTime);
        this.checkpoints = new DividedCheckpoints(places, fed, lives, reachable);
        this.callers = new CallersStore(places, fed, nanoTime);
        for (int place = 0; place < all.size(); place++) {
            Place its = all.get(place);
            shelves.add(
                    new Shelf(
                            new PlacedStates(place, its.states(), lives),
                            new PlacedCrashes(division, its.slots()),
                            new PlacedStops(its.slots(), places.home()),
                            its.slots(),
                            new Introductions(division, fed, nanoTime)));
        }
    }

    public Division division() {
        return places.division();
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
        return callers;
    }

    /** The places, as this process sees them; none where rows are not divided. */
    public List<PlaceStatus> seen() {
        List<PlaceStatus> seen = new ArrayList<>();
        for (int place = 0; isDivided() && place < places.all().size(); place++) {
            seen.add(
                    new PlaceStatus(
                            places.nameOf(place),
                            division().slotsAt(place),
                            reachable.silence(place)));
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
    private record PlacedCrashes(Division division, SortedMap<Integer, Store> slots)
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
            return slots.values().stream()
                    .flatMap(slot -> slot.crashes().suspects().stream())
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
    private record PlacedStops(SortedMap<Integer, Store> slots, Store home)
            implements PartitionStops {

        @Override
        public long parked(int source) {
            return slots.values().stream().mapToLong(slot -> slot.stops().parked(source)).sum();
        }

        @Override
        public void stop(int source, String reason) {
            home.stops().stop(source, reason);
        }
    }
}
