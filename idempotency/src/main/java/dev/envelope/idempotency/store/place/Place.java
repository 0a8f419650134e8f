package dev.envelope.idempotency.store.place;

import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.store.row.StateStore;
import java.util.SortedMap;

/**
 * A database that fails for itself, and the slots that are there.
 *
 * @param states the rows of all of them, which share transactions
 * @param slots what else each of them keeps, by its number
 * @param watch looks whether they are still there
 */
public record Place(
        String name, StateStore states, SortedMap<Integer, Store> slots, SlotWatch watch) {

    /** One whose slots never move. */
    public Place(String name, StateStore states, SortedMap<Integer, Store> slots) {
        this(name, states, slots, SlotWatch.NONE);
    }

    /** Any of its stores, for what is the same for all. */
    Store any() {
        return slots.values().iterator().next();
    }
}
