package dev.envelope.idempotency.store.pin;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The pins of rows that are divided: all of them in each slot, and which slot it is of how many, so
 * that neither their number changes nor two schemas change places.
 *
 * @param slots by their numbers
 */
public record PinsOfSlots(List<? extends PinStore> slots) implements PinStore {

    /** How many slots there are. */
    public static final String COUNT = "store.slots";

    /** Which of them a schema is. */
    public static final String NUMBER = "store.slots.number";

    private SortedMap<String, String> of(int slot, SortedMap<String, String> values) {
        SortedMap<String, String> all = new TreeMap<>(values);
        all.put(COUNT, Integer.toString(slots.size()));
        all.put(NUMBER, Integer.toString(slot));
        return all;
    }

    /** Up to the first slot that has others: what is wrong there is mostly wrong everywhere. */
    @Override
    public List<PinMismatch> claim(SortedMap<String, String> values) {
        List<PinMismatch> mismatches = compare(values);
        for (int slot = 0; slot < slots.size() && mismatches.isEmpty(); slot++) {
            mismatches = slots.get(slot).claim(of(slot, values));
        }
        return mismatches;
    }

    @Override
    public List<PinMismatch> compare(SortedMap<String, String> values) {
        List<PinMismatch> mismatches = List.of();
        for (int slot = 0; slot < slots.size() && mismatches.isEmpty(); slot++) {
            mismatches = slots.get(slot).compare(of(slot, values));
        }
        return mismatches;
    }

    /** The last slot first: what is broken off is found in the first one. */
    @Override
    public void confirm(SortedMap<String, String> values) {
        for (int slot = slots.size() - 1; slot >= 0; slot--) {
            slots.get(slot).confirm(values);
        }
    }

    @Override
    public SortedMap<String, Pin> stored() {
        return slots.get(0).stored();
    }
}
