package dev.envelope.integration.simulation;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.InMemoryParkedStore;
import dev.envelope.idempotency.store.ParkedMessage;
import dev.envelope.idempotency.store.ParkedStore;
import dev.envelope.idempotency.store.Snapshot;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Parked messages and requests as one process sees them, over the same network as its rows.
 *
 * <p>Threads: one thread.
 */
final class SimParkedStore implements ParkedStore {

    private final SimStore network;
    private final World world;
    private final InMemoryParkedStore store;
    private boolean isForced;

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
        return network.call(() -> saveNow(next, positions, incarnation));
    }

    @Override
    public boolean repair(Request request, Snapshot next, Incarnation incarnation) {
        return network.call(() -> store.repair(request, next, incarnation));
    }

    private boolean saveNow(Snapshot next, List<Long> positions, Incarnation incarnation) {
        Snapshot before = world.database().rows().get(next.key());
        List<ParkedMessage> all = world.database().parked();
        Snapshot saved = isForced && before != null ? over(before, next) : next;
        if (!store.save(saved, positions, incarnation)) {
            return false;
        }
        Set<ParkedMessage> left = Collections.newSetFromMap(new IdentityHashMap<>());
        left.addAll(world.database().parked());
        List<ParkedMessage> taken = all.stream().filter(it -> !left.contains(it)).toList();
        world.checks().rows().redriven(Objects.requireNonNull(before), saved, taken);
        return true;
    }

    /** For a mutant: it saves over whatever the row has become. */
    ParkedStore withoutCompare() {
        isForced = true;
        return this;
    }

    private static Snapshot over(Snapshot before, Snapshot next) {
        return new Snapshot(
                next.key(),
                before.version() + 1,
                next.state(),
                next.marks(),
                next.ids(),
                next.parked());
    }
}
