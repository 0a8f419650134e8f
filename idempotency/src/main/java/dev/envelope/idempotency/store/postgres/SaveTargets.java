package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.key.Division;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What saves at one place change: a schema for each slot that is there. They share transactions.
 *
 * <p>Threads: immutable.
 */
final class SaveTargets {

    private final Division division;
    private final List<@Nullable SaveTarget> bySlot; // null for those that are at other places
    private final List<SaveTarget> all;

    /**
     * @param bySlot null for those that are at other places
     */
    SaveTargets(Division division, List<@Nullable SaveTarget> bySlot) {
        this.division = division;
        this.bySlot = new ArrayList<>(bySlot);
        this.all = new ArrayList<>();
        for (SaveTarget target : bySlot) {
            if (target != null) {
                all.add(target);
            }
        }
    }

    /** The only one, of rows that are not divided. */
    static SaveTargets of(SaveTarget target) {
        return new SaveTargets(Division.NONE, List.of(target));
    }

    /** Whether all rows are here. Otherwise each key is looked at: none may be of another place. */
    boolean isUndivided() {
        return division.slots() == 1;
    }

    /** The only one, or any of several. */
    SaveTarget first() {
        return all.get(0);
    }

    List<SaveTarget> all() {
        return all;
    }

    /** These items by their targets, in the order of the slots. */
    <T> Collection<Part<T>> divide(Collection<T> items, Function<T, String> key) {
        if (isUndivided()) {
            return List.of(new Part<>(first(), List.copyOf(items)));
        }
        SortedMap<Integer, Part<T>> parts = new TreeMap<>();
        for (T item : items) {
            int slot = division.slotOf(key.apply(item));
            parts.computeIfAbsent(slot, it -> new Part<>(at(it), new ArrayList<>())).of().add(item);
        }
        return parts.values();
    }

    private SaveTarget at(int slot) {
        SaveTarget target = bySlot.get(slot);
        if (target == null) {
            throw new InvariantViolation("a turn has keys of slot " + slot + ", of another place");
        }
        return target;
    }

    /** Those of some items that have the same target. */
    record Part<T>(SaveTarget target, List<T> of) {}
}
