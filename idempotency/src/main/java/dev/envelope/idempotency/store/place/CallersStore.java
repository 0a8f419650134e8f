package dev.envelope.idempotency.store.place;

import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.store.place.KnownSources.Known;
import dev.envelope.idempotency.store.reply.ReplyStore;
import dev.envelope.idempotency.store.row.RowReads;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What callers outside are answered from, place by place: who asks at one of them does not wait for
 * another.
 *
 * <p>Threads: thread-safe.
 */
public final class CallersStore {

    private final Division division;
    private final List<AtPlace> places;
    private final @Nullable KnownSources sources; // null where rows are not divided

    /**
     * What is asked at one place.
     *
     * @param name empty where rows are not divided
     * @param ofKey the slot of a key, which can be away while others at the place are there
     */
    public record AtPlace(String name, Function<String, OfSlot> ofKey) {

        /** Where rows are not divided. */
        public static AtPlace undivided(
                RowReads rows, ReplyStore replies, Checkpoints checkpoints) {
            OfSlot all =
                    new OfSlot(
                            rows,
                            replies,
                            topics -> new Known(checkpoints.read(topics).sources(), ""));
            return new AtPlace("", key -> all);
        }
    }

    /**
     * What is asked of one slot.
     *
     * @param sources of some topics, as far as they are in its rows; may block, within its own
     *     timeouts
     */
    public record OfSlot(RowReads rows, ReplyStore replies, Function<Set<String>, Known> sources) {}

    CallersStore(Store undivided) {
        this.division = Division.NONE;
        this.sources = null;
        this.places =
                List.of(
                        AtPlace.undivided(
                                undivided.reads(), undivided.replies(), undivided.checkpoints()));
    }

    CallersStore(Places all, FedSlots fed, LongSupplier nanoTime) {
        Reachable reachable = Reachable.unlogged(all.names(), nanoTime);
        KnownSources known = new KnownSources(all, fed, reachable);
        this.division = all.division();
        this.sources = known;
        this.places = new ArrayList<>();
        List<OfSlot> slots = new ArrayList<>();
        for (int slot = 0; slot < division.slots(); slot++) {
            int its = slot;
            slots.add(
                    new OfSlot(
                            new DividedReads(slot, all, reachable, known),
                            new DividedReplies(slot, all, reachable),
                            topics -> known.in(its, topics)));
        }
        for (Place place : all.all()) {
            places.add(new AtPlace(place.name(), key -> slots.get(division.slotOf(key))));
        }
    }

    /** By their numbers. */
    public List<AtPlace> places() {
        return places;
    }

    /** The number of the place of a key's row. */
    public int placeOf(String key) {
        return division.placeOf(slotOf(key));
    }

    /** The slot of a key's row. Rows of one slot are read as of one moment. */
    public int slotOf(String key) {
        return division.slotOf(key);
    }

    /**
     * Learns what only the first slot knows, for those that don't wait for it. May block.
     *
     * @param topics of the application
     */
    public void learn(Set<String> topics) {
        if (sources != null) {
            sources.learn(topics);
        }
    }
}
