package dev.envelope.integration.simulation;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.store.InMemoryCheckpoints;
import dev.envelope.idempotency.store.InMemoryTransaction;
import dev.envelope.idempotency.store.InMemoryWorkStore;
import dev.envelope.idempotency.work.DoneBefore;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The way from one process to the database that its handler writes to: over a network, with rivals
 * that are waited for, and commits of which nobody knows what becomes of them.
 *
 * <p>Threads: one thread.
 */
final class SimWorkStore implements InMemoryWorkStore.Way {

    private static final long MILLIS = 1_000_000;
    private static final long LOCK_TIMEOUT = 300 * MILLIS;
    private static final int LONGEST_UNKNOWN_MILLIS = 2_000;

    private final SimProcess owner;
    private final WorkWorld world;
    private final WorkTables tables;
    private final SimNetwork network;

    SimWorkStore(SimProcess owner, WorkWorld world, WorkTables tables) {
        this.owner = owner;
        this.world = world;
        this.tables = tables;
        this.network = new SimNetwork(owner, world, tables::isDown);
    }

    /** The sources and checkpoints over the same network. */
    Checkpoints checkpoints() {
        Checkpoints watched =
                new InMemoryCheckpoints(tables.database()) {
                    @Override
                    public Set<Integer> save(
                            Map<Integer, NextOffset> nextBySource, Incarnation life) {
                        Set<Integer> saved = super.save(nextBySource, life);
                        tables.checkpointed(owner, nextBySource);
                        return saved;
                    }
                };
        return network.reach(Checkpoints.class, watched, "areCommits");
    }

    @Override
    public <T> T ask(Supplier<T> request) {
        return network.call(request);
    }

    @Override
    public DoneBefore mark(InMemoryTransaction transaction, List<Message> messages) {
        return network.call(
                () -> {
                    if (transaction.isHeldUp(messages)) {
                        long until = world.scheduler().now() + LOCK_TIMEOUT;
                        world.scheduler().runUntil(until, () -> !transaction.isHeldUp(messages));
                    }
                    return transaction.mark(messages);
                });
    }

    @Override
    public void commit(InMemoryTransaction transaction) {
        if (world.faults().happens(Fault.CUT_BEFORE_COMMIT)) {
            transaction.detach();
            long nanos = (1 + world.random().nextInt(LONGEST_UNKNOWN_MILLIS)) * MILLIS;
            boolean isCommitted = world.random().nextInt(3) > 0;
            world.scheduler().after(nanos, () -> end(transaction, isCommitted));
            throw new UnavailableException("connection reset");
        }
        network.call(
                () -> {
                    land(transaction);
                    return true;
                });
    }

    /** The server ends what was left to it. */
    private void end(InMemoryTransaction transaction, boolean isCommitted) {
        if (!isCommitted) {
            transaction.abandon();
            return;
        }
        try {
            land(transaction);
            world.faults().landed(Fault.COMMITTED_LATE);
        } catch (UnavailableException e) {
            return; // the server was restarted meanwhile: nothing is left of it
        }
    }

    private void land(InMemoryTransaction transaction) {
        transaction.commit();
        tables.committed(transaction.written());
    }

    @Override
    public boolean isAlive() {
        return !owner.isDead();
    }
}
