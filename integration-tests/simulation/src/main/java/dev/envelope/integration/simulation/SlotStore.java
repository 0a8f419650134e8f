package dev.envelope.integration.simulation;

import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.DeletedKeys;
import dev.envelope.idempotency.store.OutboxStore;
import dev.envelope.idempotency.store.PartitionStops;
import dev.envelope.idempotency.store.PoolUse;
import dev.envelope.idempotency.store.SourceCopies;
import dev.envelope.idempotency.store.Store;
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
 * A slot as one process sees it: what the simulation has of a store.
 *
 * <p>Threads: one thread.
 */
record SlotStore(
        SimStore network,
        SimParkedStore parkedStore,
        StateStore states,
        Checkpoints checkpoints,
        SourceCopies sources,
        CrashStore crashes,
        PartitionStops stops)
        implements Store {

    static SlotStore of(SimInstance process, World world, Wiring wiring, int slot) {
        SimStore network = new SimStore(process, world, List.of(slot), wiring.movesHide());
        return new SlotStore(
                network,
                new SimParkedStore(network, world, process),
                wiring.states(network),
                wiring.checkpoints(network),
                wiring.sources(network.sources(), network),
                world.books().crashes(process, network),
                world.books().stops(network));
    }

    @Override
    public ParkedStore parked() {
        return parkedStore;
    }

    @Override
    public RequestStore requests() {
        return parkedStore;
    }

    @Override
    public FrozenStore frozen() {
        throw isNotThere();
    }

    @Override
    public OutboxStore outbox() {
        throw isNotThere();
    }

    @Override
    public OutputStore outputs() {
        throw isNotThere();
    }

    @Override
    public RowReads reads() {
        throw isNotThere();
    }

    @Override
    public ReplyStore replies() {
        throw isNotThere();
    }

    @Override
    public DirectoryStore directory() {
        throw isNotThere();
    }

    @Override
    public TimerStore timers() {
        throw isNotThere();
    }

    @Override
    public Optional<TableStore> table() {
        return Optional.empty();
    }

    @Override
    public SlotSessions slots(Duration timeout) {
        throw isNotThere();
    }

    @Override
    public DeletedKeys deletedKeys(Duration retention, Duration auditRetention) {
        throw isNotThere();
    }

    @Override
    public List<PoolUse> pools() {
        return List.of();
    }

    @Override
    public void close() {}

    private static UnsupportedOperationException isNotThere() {
        return new UnsupportedOperationException("the simulation has its own");
    }
}
