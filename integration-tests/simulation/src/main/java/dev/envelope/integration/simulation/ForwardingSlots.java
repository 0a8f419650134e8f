package dev.envelope.integration.simulation;

import dev.envelope.core.membership.Slots;
import java.util.Map;

/** Hands every call on: for those who change one of them. */
abstract class ForwardingSlots implements Slots {

    private final Slots slots;

    ForwardingSlots(Slots slots) {
        this.slots = slots;
    }

    @Override
    public int count() {
        return slots.count();
    }

    @Override
    public Map<Integer, Long> held() {
        return slots.held();
    }

    @Override
    public void isReading(int useful) {
        slots.isReading(useful);
    }

    @Override
    public void onChange(Runnable changed) {
        slots.onChange(changed);
    }
}
