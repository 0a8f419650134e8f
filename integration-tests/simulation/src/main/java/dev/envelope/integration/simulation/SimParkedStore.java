package dev.envelope.integration.simulation;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.InMemoryParkedStore;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.Replacement;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
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
final class SimParkedStore implements ParkedStore, RequestStore {

    private final SimStore network;
    private final World world;
    private final SimInstance owner;
    private final InMemoryParkedStore store;
    private boolean isForced;

    SimParkedStore(SimStore network, World world, SimInstance owner) {
        this.network = network;
        this.world = world;
        this.owner = owner;
        this.store =
                new InMemoryParkedStore(
                        network.database(),
                        owner.name(),
                        world.scheduler()::now,
                        network.outputs()::numberIn);
    }

    @Override
    public Incarnation incarnation() {
        return network.incarnation();
    }

    @Override
    public void seen() {}

    @Override
    public Optional<Request> take(Duration lease) {
        return network.call(
                () -> {
                    Optional<Request> taken = store.take(lease);
                    taken.ifPresent(it -> world.purging().carriesOut(owner, it.key()));
                    return taken;
                });
    }

    @Override
    public void rest(Request request, Duration pause, Duration lease) {
        network.call(
                () -> {
                    store.rest(request, pause, lease);
                    return true;
                });
    }

    @Override
    public void leave() {
        store.leave();
    }

    @Override
    public Optional<Request> renew(Request request, Duration lease) {
        return network.call(
                () -> {
                    Optional<Request> renewed = store.renew(request, lease);
                    world.purging().carriesOut(owner, request.key());
                    return renewed;
                });
    }

    @Override
    public boolean answer(Request request, String answer, Incarnation incarnation) {
        return network.call(() -> answerNow(request, answer, incarnation));
    }

    @Override
    public int uncounted(String key) {
        return network.call(() -> store.uncounted(key));
    }

    @Override
    public Snapshot rowOfParked(String key) {
        return network.call(() -> store.rowOfParked(key));
    }

    @Override
    public List<Parked> first(String key, int most) {
        return network.call(() -> store.first(key, most));
    }

    @Override
    public List<Long> positions(String key, long last, int most) {
        return network.call(() -> store.positions(key, last, most));
    }

    @Override
    public boolean save(
            Request request,
            Snapshot next,
            List<Long> positions,
            HandlerEffects effects,
            Incarnation incarnation) {
        return network.call(() -> saveNow(request, next, positions, effects, incarnation));
    }

    @Override
    public void failedAgain(Request request, long position, String reason, String error) {
        network.call(
                () -> {
                    store.failedAgain(request, position, reason, error);
                    return true;
                });
    }

    @Override
    public boolean repair(Request request, Snapshot next, Incarnation incarnation) {
        return network.call(() -> repairNow(request, next, incarnation));
    }

    @Override
    public boolean replace(Request request, Snapshot next, Incarnation incarnation) {
        return network.call(() -> store.replace(request, next, incarnation));
    }

    @Override
    public List<Replacement> replacements() {
        return network.call(store::replacements);
    }

    private boolean answerNow(Request request, String answer, Incarnation incarnation) {
        boolean isAnswered = store.answer(request, answer, incarnation);
        if (isAnswered) {
            world.checks().repairs().answered(request, answer);
        }
        return isAnswered;
    }

    private boolean repairNow(Request request, Snapshot next, Incarnation incarnation) {
        world.rowFaults().save(Patience.WAIT);
        world.locks().take(next.key());
        world.rowFaults().check(next.state());
        Snapshot before = world.database().row(next.key());
        Snapshot saved = isForced && before != null ? over(before, next) : next;
        boolean isSaved = store.repair(request, saved, incarnation);
        if (isSaved) {
            world.checks().repairs().repaired(request, Objects.requireNonNull(before), saved);
        }
        return isSaved;
    }

    private boolean saveNow(
            Request request,
            Snapshot next,
            List<Long> positions,
            HandlerEffects effects,
            Incarnation incarnation) {
        world.rowFaults().save(Patience.WAIT);
        world.locks().take(next.key());
        world.rowFaults().check(next.state());
        Snapshot before = world.database().row(next.key());
        List<ParkedMessage> all = world.database().parked();
        world.checks().timers().saving(List.of(next.key()));
        Snapshot saved = isForced && before != null ? over(before, next) : next;
        if (!store.save(request, saved, positions, effects, incarnation)) {
            return false;
        }
        if (request.action() == Action.QUARANTINE) {
            world.checks().repairs().quarantined(next.key());
        }
        Set<ParkedMessage> left = Collections.newSetFromMap(new IdentityHashMap<>());
        left.addAll(world.database().parked());
        List<ParkedMessage> taken = all.stream().filter(it -> !left.contains(it)).toList();
        world.checks().outputs().saved(next.key(), effects.outputs());
        world.checks().rows().redriven(Objects.requireNonNull(before), saved, taken, effects);
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
