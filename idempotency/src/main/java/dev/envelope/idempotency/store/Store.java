package dev.envelope.idempotency.store;

import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.store.parked.FrozenStore;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.row.StateStore;
import java.time.Duration;
import java.util.List;

/**
 * A database with all that an application keeps in it.
 *
 * <p>Threads: thread-safe.
 */
public interface Store extends AutoCloseable {

    /** The rows. */
    StateStore states();

    /** How far each source is done. */
    Checkpoints checkpoints();

    /** What is set aside. */
    ParkedStore parked();

    /** What operators ask for. */
    RequestStore requests();

    /** How much of that stands. */
    FrozenStore frozen();

    /** What is to be put out. */
    OutboxStore outbox();

    /** What processes have died of. */
    CrashStore crashes();

    /** Partitions that stay stopped. */
    PartitionStops stops();

    /**
     * Rows of keys that were deleted so long ago. Handlers then want a cache whose entries do not
     * get that old.
     */
    DeletedKeys deletedKeys(Duration retention, Duration auditRetention);

    /** How its connections are lent out at the moment. */
    List<PoolUse> pools();

    /** Ends all connections; what is under way on them fails. */
    @Override
    void close();
}
