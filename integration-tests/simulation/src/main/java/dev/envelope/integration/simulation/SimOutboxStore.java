package dev.envelope.integration.simulation;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.InMemoryOutboxStore;
import dev.envelope.idempotency.store.OutboxStore;
import dev.envelope.idempotency.store.row.OutboxRecord;
import java.time.Duration;
import java.util.List;

/**
 * The outbox as one process sees it, over the same network as its rows.
 *
 * <p>Threads: one thread.
 */
final class SimOutboxStore implements OutboxStore {

    /** A seed is short: what takes a minute out there takes three seconds here. */
    private static final int SHORTER = 20;

    private final SimStore network;
    private final SimInstance owner;
    private final World world;
    private final InMemoryOutboxStore store;
    private Incarnation readIn = new Incarnation("");
    private long term; // 0 without a lease

    SimOutboxStore(SimStore network, SimInstance owner, World world) {
        this.network = network;
        this.owner = owner;
        this.world = world;
        this.store =
                new InMemoryOutboxStore(
                        network.database(),
                        world.letters().lease(),
                        owner.name(),
                        world.scheduler()::now);
    }

    @Override
    public Depth depth(int most) {
        Depth depth = network.call(() -> store.depth(most));
        if (most >= world.letters().limits().maxRows()) { // otherwise it only asks who answers
            world.checks().outbox().measured(owner, depth);
        }
        return depth;
    }

    @Override
    public boolean lead(Duration lease) {
        return network.call(
                () -> {
                    boolean leads = store.lead(lease.dividedBy(SHORTER));
                    if (leads) {
                        term = world.checks().outbox().leads(owner);
                    }
                    return leads;
                });
    }

    @Override
    public void leave() {
        network.call(
                () -> {
                    store.leave();
                    return true;
                });
        world.checks().outbox().left(owner);
    }

    @Override
    public Batch firstWithout(List<Long> positions, int most, long maxBytes) {
        Batch batch = network.call(() -> store.firstWithout(positions, most, maxBytes));
        readIn = batch.incarnation();
        return batch;
    }

    @Override
    public void delete(List<Long> positions, Incarnation incarnation) {
        network.call(
                () -> {
                    List<OutboxRecord> before = world.database().outbox();
                    store.delete(positions, incarnation);
                    world.checks().outbox().deleted(before);
                    return true;
                });
        world.checks().outbox().hasLess(owner, positions.size());
    }

    /** The life of the database that the last batch was read in. */
    Incarnation readIn() {
        return readIn;
    }

    /** The term of office, among all processes', that it delivers in; 0 for none. */
    long term() {
        return term;
    }
}
