package dev.envelope.idempotency.store.place;

import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.store.SourceCopies;
import dev.envelope.idempotency.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * All slots, and the places where they are.
 *
 * <p>Threads: immutable.
 */
final class Places {

    /** The slot that gives sources their numbers, and keeps what is of no key. */
    static final int HOME = 0;

    private final Division division;
    private final List<Place> places;
    private final List<Store> slots = new ArrayList<>();
    private final SlotMoves moves;

    Places(Division division, List<Place> places) {
        this.division = division;
        this.places = List.copyOf(places);
        this.moves = new SlotMoves(division, places);
        for (int slot = 0; slot < division.slots(); slot++) {
            Store store = places.get(division.placeOf(slot)).slots().get(slot);
            if (store == null) {
                throw new IllegalArgumentException("slot " + slot + " is not at its place");
            }
            slots.add(store);
        }
    }

    Division division() {
        return division;
    }

    SlotMoves moves() {
        return moves;
    }

    List<Place> all() {
        return places;
    }

    List<Store> slots() {
        return slots;
    }

    Store home() {
        return slots.get(HOME);
    }

    /** The number of the place of a slot. */
    int placeOf(int slot) {
        return division.placeOf(slot);
    }

    Checkpoints checkpoints(int slot) {
        return slots.get(slot).checkpoints();
    }

    SourceCopies sources(int slot) {
        return slots.get(slot).sources();
    }

    String nameOf(int place) {
        return places.get(place).name();
    }

    List<String> names() {
        return places.stream().map(Place::name).toList();
    }

    /** Asks a slot. One that is being moved is away, and its place is not. */
    <T> T ask(int slot, Reachable reachable, Supplier<T> question) {
        return reachable.ask(placeOf(slot), () -> moves().ask(slot, question));
    }
}
