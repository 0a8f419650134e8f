package dev.envelope.idempotency.store.place.operator;

/**
 * Numbers that slots give for themselves, made distinct among all slots: what operators see and
 * name. They grow as those of each slot do.
 */
final class SlotNumber {

    private static final int BITS = 8; // as many slots as settings allow

    private SlotNumber() {}

    static long of(long ofSlot, int slot) {
        return ofSlot << BITS | slot;
    }

    static int slot(long number) {
        return (int) (number & ((1 << BITS) - 1));
    }

    static long ofSlot(long number) {
        return number >> BITS;
    }

    /** The last number of a slot up to this number of all. */
    static long upTo(long number, int slot) {
        return slot <= slot(number) ? ofSlot(number) : ofSlot(number) - 1;
    }
}
