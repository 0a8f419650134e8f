package dev.envelope.core.membership;

import java.time.Duration;

/**
 * How the partitions are divided where no group decides: a process that holds a slot reads the
 * partitions whose number has that remainder, of all topics.
 *
 * @param count how many slots there are; the same for all processes of an application
 * @param perProcess how many a process holds at most
 * @param timeout how long a process may be out of touch before others take its slots
 */
public record SlotPlan(int count, int perProcess, Duration timeout) {

    public SlotPlan {
        if (count < 1 || perProcess < 1 || timeout.toMillis() < 1_000) {
            throw new IllegalArgumentException(
                    "at least one slot, for each process, and a second to be out of touch");
        }
        perProcess = Math.min(perProcess, count);
    }

    /** The slot of a partition. */
    public static int slotOf(int partition, int count) {
        return partition % count;
    }
}
