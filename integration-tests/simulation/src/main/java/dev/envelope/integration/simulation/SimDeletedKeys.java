package dev.envelope.integration.simulation;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.DeletedKeys;
import dev.envelope.idempotency.store.InMemoryDeletedKeys;
import dev.envelope.idempotency.store.Purged;
import dev.envelope.idempotency.store.row.Snapshot;
import java.util.Map;

/**
 * The rows of deleted keys as one process sees them, over the same network as the others.
 *
 * <p>Threads: one thread.
 */
final class SimDeletedKeys implements DeletedKeys {

    private final SimStore network;
    private final World world;
    private final DeletedKeys deleted;

    SimDeletedKeys(SimStore network, World world, Wiring wiring) {
        this.network = network;
        this.world = world;
        this.deleted =
                wiring.deletedKeys(
                        new InMemoryDeletedKeys(
                                network.database(),
                                world.purging().retention(),
                                world.scheduler()::now,
                                world.purging()::isInUse),
                        network.database());
    }

    @Override
    public Purged purgeSome() {
        return network.call(
                () -> {
                    Map<String, Snapshot> before = network.database().rows();
                    Purged purged = deleted.purgeSome();
                    before.keySet().removeAll(network.database().rows().keySet());
                    before.values().forEach(world.checks().purges()::purged);
                    before.keySet().forEach(world.checks().timers()::purged);
                    return purged;
                });
    }

    /** One turn of the loop that purges. */
    static boolean turn(DeletedKeys deleted) {
        try {
            deleted.purgeSome();
        } catch (UnavailableException e) {
            return false; // the next time
        }
        return false;
    }
}
