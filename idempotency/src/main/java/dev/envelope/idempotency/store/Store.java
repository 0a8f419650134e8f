package dev.envelope.idempotency.store;

import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.store.directory.DirectoryStore;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.parked.FrozenStore;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.reply.ReplyStore;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.slot.SlotSessions;
import dev.envelope.idempotency.store.table.TableStore;
import dev.envelope.idempotency.store.timer.TimerStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The database of an application: hands out the ports to its parts.
 *
 * <p>Threads: thread-safe.
 */
public interface Store extends AutoCloseable {

    /** The rows. */
    StateStore states();

    /** The sources and their checkpoints. */
    Checkpoints checkpoints();

    /** The sources as other slots have them, where rows are divided. */
    SourceCopies sources();

    /** The parked messages. */
    ParkedStore parked();

    /** Operators' requests. */
    RequestStore requests();

    /** How much is parked. */
    FrozenStore frozen();

    /** The dead letters to deliver to Kafka. */
    OutboxStore outbox();

    /** What handlers have emitted, and who sends it to Kafka. */
    OutputStore outputs();

    /** The rows for callers outside. */
    RowReads reads();

    /** The answers to commands. */
    ReplyStore replies();

    /** Which process owns which partition. */
    DirectoryStore directory();

    /** The timers that handlers have set. */
    TimerStore timers();

    /** The messages that were being folded when processes died. */
    CrashStore crashes();

    /** Partitions that stay stopped. */
    PartitionStops stops();

    /** The table whose rows are read; empty where topics are. */
    Optional<TableStore> table();

    /**
     * Sessions that lock slots, where no group divides the partitions.
     *
     * @param timeout after which the database ends one that is silent
     */
    SlotSessions slots(Duration timeout);

    /**
     * The purge of rows of keys that were deleted longer ago than the retention. Handlers then need
     * a cache whose entries expire well before that.
     */
    DeletedKeys deletedKeys(Duration retention, Duration auditRetention);

    /** The present use of its connection pools. */
    List<PoolUse> pools();

    /** Closes all connections; work that is under way on them fails. */
    @Override
    void close();
}
