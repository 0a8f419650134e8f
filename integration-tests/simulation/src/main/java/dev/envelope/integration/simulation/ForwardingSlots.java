package dev.envelope.integration.simulation;

import dev.envelope.core.membership.Slots;

/** Hands every call on: for those who change one of them. */
abstract class ForwardingSlots implements Slots {

    private final Slots slots;

    ForwardingSlots(Slots slots) {
        this.slots = slots;
    }

    @Override
    public Held held() {
        return slots.held();
    }

    @Override
    public void isReading(int partitions) {
        slots.isReading(partitions);
    }

    @Override
    public void onChange(Runnable changed) {
        slots.onChange(changed);
    }
}
