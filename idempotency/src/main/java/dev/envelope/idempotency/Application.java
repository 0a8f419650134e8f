package dev.envelope.idempotency;

import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.Recurring;
import dev.envelope.idempotency.outbox.OutboxStatus;
import dev.envelope.idempotency.output.OutputStatus;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.store.parked.FrozenKeys;
import dev.envelope.idempotency.store.place.PlaceStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a process runs: a consumer, and the loops beside it. One that keeps no rows has no loops,
 * and nothing that waits in a database.
 *
 * <p>Threads: thread-safe.
 */
public interface Application extends AutoCloseable {

    /** Joins the group and begins. Once per object. */
    void start();

    /** The engine: its state, its partitions, its workers. */
    EnvelopeConsumer consumer();

    /** The dead letters that wait for delivery. */
    default OutboxStatus outbox() {
        return OutboxStatus.EMPTY;
    }

    /** The outputs that wait for delivery. */
    default OutputStatus outputs() {
        return OutputStatus.NOTHING;
    }

    /** The frozen keys of this process's partitions; up to fifteen seconds old. */
    default List<FrozenKeys> frozen() {
        return List.of();
    }

    /** Who holds which slot; empty where a group divides the partitions. */
    default Optional<SlotLocks.Seen> slots() {
        return Optional.empty();
    }

    /** The databases that have the rows; none where one has all. */
    default List<PlaceStatus> places() {
        return List.of();
    }

    /** The status of each loop beside the consumer. */
    default List<Recurring.Status> loops() {
        return List.of();
    }

    /** Closes, with twenty seconds to handle what was fetched. */
    @Override
    void close();

    /**
     * Stops fetching, handles what was fetched, commits, leaves the group and ends the threads.
     *
     * @return whether everything that was fetched had been handled
     */
    boolean close(Duration drainTime);
}
