package dev.envelope.app.database;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.pin.Pin;
import dev.envelope.idempotency.store.pin.PinMismatch;
import dev.envelope.idempotency.store.pin.PinStore;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The pins of a slot that is being moved: they are compared when it is there. */
enum NotAsked implements PinStore {
    PINS;

    @Override
    public List<PinMismatch> claim(SortedMap<String, String> values) {
        return List.of();
    }

    @Override
    public List<PinMismatch> compare(SortedMap<String, String> values) {
        return List.of();
    }

    @Override
    public void confirm(SortedMap<String, String> values) {
        throw new UnavailableException("a slot is being moved");
    }

    @Override
    public SortedMap<String, Pin> stored() {
        return new TreeMap<>();
    }
}
