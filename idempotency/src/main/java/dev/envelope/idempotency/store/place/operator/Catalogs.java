package dev.envelope.idempotency.store.place.operator;

import dev.envelope.core.key.Division;
import dev.envelope.idempotency.store.operator.Catalog;
import dev.envelope.idempotency.store.operator.OperatorStore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The catalogs of one kind, each opened when it is needed.
 *
 * <p>Threads: one thread.
 *
 * @param <C> the kind
 */
final class Catalogs<C extends Catalog> {

    /** The slot that has also what is of no key. */
    static final int HOME = 0;

    private final Division division;
    private final List<OperatorStore> slots;
    private final Function<OperatorStore, C> opening;
    private final Map<Integer, C> open = new TreeMap<>();

    Catalogs(Division division, List<OperatorStore> slots, Function<OperatorStore, C> opening) {
        this.division = division;
        this.slots = slots;
        this.opening = opening;
    }

    int slotOf(String key) {
        return division.slotOf(key);
    }

    C of(String key) {
        return at(slotOf(key));
    }

    C at(int slot) {
        return open.computeIfAbsent(slot, it -> opening.apply(slots.get(it)));
    }

    IntStream slots() {
        return IntStream.range(0, slots.size());
    }

    List<C> all() {
        return slots().mapToObj(this::at).toList();
    }

    void close() {
        open.values().forEach(Catalog::close);
    }
}
