package dev.envelope.core.membership;

import java.time.Duration;

/**
 * How the partitions are divided where no group decides: a process that holds a slot reads the
 * partitions whose number has that remainder, of all topics.
 *
 * @param count how many slots there are; the same for all processes of an application
 * @param from how many there are until all processes know of the count; equal to it if that does
 *     not change
 * @param perProcess how many a process holds at most
 * @param timeout how long a process may be out of touch before others take its slots
 */
public record SlotPlan(int count, int from, int perProcess, Duration timeout) {

    public SlotPlan {
        if (count < 1 || from < 1 || perProcess < 1 || timeout.toMillis() < 1_000) {
            throw new IllegalArgumentException(
                    "at least one slot, for each process, and a second to be out of touch");
        }
    }

    /** One whose count does not change. */
    public SlotPlan(int count, int perProcess, Duration timeout) {
        this(count, count, perProcess, timeout);
    }

    /** Whether the count is to change. */
    public boolean isChange() {
        return from != count;
    }

    /** Whether it can divide by this number. */
    public boolean accepts(int slots) {
        return slots == count || slots == from;
    }

    /** The most slots that there may be. */
    public int most() {
        return Math.max(count, from);
    }

    /** The slot of a partition. */
    public static int slotOf(int partition, int count) {
        return partition % count;
    }
}
