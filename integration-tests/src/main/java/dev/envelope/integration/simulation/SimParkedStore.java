package dev.envelope.integration.simulation;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.InMemoryParkedStore;
import dev.envelope.idempotency.store.ParkedStore;
import dev.envelope.idempotency.store.Snapshot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Parked messages and requests as one process sees them, over the same network as its rows.
 *
 * <p>Threads: one thread.
 */
final class SimParkedStore implements ParkedStore {

    private final SimStore network;
    private final World world;
    private final InMemoryParkedStore store;

    SimParkedStore(SimStore network, World world, String process) {
        this.network = network;
        this.world = world;
        this.store = new InMemoryParkedStore(world.database(), process, world.scheduler()::now);
    }

    @Override
    public Incarnation incarnation() {
        return network.incarnation();
    }

    @Override
    public Optional<Request> take(Duration lease) {
        return network.call(() -> store.take(lease));
    }

    @Override
    public void leave() {
        store.leave();
    }

    @Override
    public boolean renew(Request request, Duration lease) {
        return network.call(() -> store.renew(request, lease));
    }

    @Override
    public void answer(Request request, String answer) {
        network.call(
                () -> {
                    store.answer(request, answer);
                    return true;
                });
    }

    @Override
    public List<Parked> first(String key, int most) {
        return network.call(() -> store.first(key, most));
    }

    @Override
    public boolean save(Snapshot next, List<Long> positions, Incarnation incarnation) {
        return network.call(
                () -> {
                    Snapshot before = world.database().rows().get(next.key());
                    boolean saved = store.save(next, positions, incarnation);
                    if (saved) {
                        world.checks().saved(before, next);
                    }
                    return saved;
                });
    }
}
