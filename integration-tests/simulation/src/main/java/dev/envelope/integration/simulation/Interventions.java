package dev.envelope.integration.simulation;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.idempotency.store.InMemoryParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a person does with keys and partitions that nothing is wrong with, at times that the seed
 * has drawn: holds them back, bounds their rate, has them parked, sets and deletes what rows say,
 * drops messages that can't have a row.
 *
 * <p>Threads: one thread.
 */
final class Interventions {

    private static final long MILLIS = 1_000_000;

    private final World world;
    private final RandomGenerator random;
    private final FaultPlan faults;
    private final List<InMemoryParkedStore> stores; // of the slots
    private int set;

    Interventions(World world) {
        this.world = world;
        this.random = world.random();
        this.faults = world.faults();
        this.stores = world.database().parkedStores("person", world.scheduler()::now);
    }

    void plan() {
        world.plan(faults.occurrences(2, 3), this::holdKeyBack);
        world.plan(faults.occurrences(3, 2), this::holdPartitionBack);
        world.plan(faults.occurrences(4, 1), this::boundRate);
        world.plan(faults.occurrences(3, 2), this::resize);
        world.plan(faults.occurrences(4, 2), this::changePolicy);
        world.plan(faults.occurrences(3, 2), this::quarantine);
        world.plan(faults.occurrences(2, 3), this::set);
        world.plan(faults.occurrences(2, 2), this::delete);
        world.plan(faults.occurrences(2, 3), this::dropWithoutRow);
    }

    private void holdKeyBack() {
        String key = world.troubles().someRow();
        if (key != null) {
            holdBack(Kind.KEY, key);
        }
    }

    private void holdPartitionBack() {
        SimInstance process = world.processes().one();
        List<PartitionStatus> all = process == null ? List.of() : process.partitions();
        if (!all.isEmpty()) {
            holdBack(Kind.PARTITION, all.get(random.nextInt(all.size())).partition().toString());
        }
    }

    /** For a while: a database that goes back does not know that it was let go. */
    private void holdBack(Kind kind, String name) {
        Duration most = Duration.ofMillis(1_000 + random.nextInt(5_000));
        if (world.database().pause(kind, name, Optional.of(most))) {
            faults.landed(Fault.HELD_BACK);
            aWhileLater(() -> world.database().resume(kind, name));
        }
    }

    private void boundRate() {
        SimInstance process = world.processes().one();
        if (process != null) {
            faults.landed(Fault.RATE_BOUND);
            process.keys().limitTo(1 + random.nextInt(40));
            aWhileLater(() -> process.keys().limitTo(0));
        }
    }

    private void resize() {
        SimInstance process = world.processes().one();
        if (process != null) {
            faults.landed(Fault.RESIZED);
            process.resize(1 + random.nextInt(5));
        }
    }

    /** A rolling change of settings that is not rolled out to its end. */
    private void changePolicy() {
        FailurePolicy.Last[] all = FailurePolicy.Last.values();
        faults.landed(Fault.POLICY_CHANGED);
        world.change(world.settings().with(all[random.nextInt(all.length)]));
    }

    private void aWhileLater(Runnable action) {
        world.scheduler().after((100 + random.nextInt(4_000)) * MILLIS, action);
    }

    private void quarantine() {
        String key = world.troubles().someRow();
        if (key != null) {
            faults.landed(Fault.QUARANTINED);
            store(key).ask(key, Action.QUARANTINE, null);
        }
    }

    private void set() {
        Snapshot row = someRow();
        if (row != null) {
            faults.landed(Fault.REPAIRED);
            String state = "[\"set-" + ++set + "\"]";
            store(row.key()).askToRepair(row.key(), Action.SET, row.version(), state);
        }
    }

    private void delete() {
        Snapshot row = someRow();
        if (row != null) {
            faults.landed(Fault.REPAIRED);
            for (ParkedMessage parked : world.database().parked()) {
                if (row.key().equals(parked.rowKey())) {
                    world.losses().letGo(Trace.place(parked.message()));
                }
            }
            long version = random.nextBoolean() ? row.version() : Request.ANY_VERSION;
            store(row.key()).askToRepair(row.key(), Action.DELETE, version, null);
        }
    }

    /** Whatever can't have a row and is parked by then. */
    private void dropWithoutRow() {
        List<ParkedMessage> all =
                world.database().parked().stream().filter(it -> it.rowKey() == null).toList();
        if (!all.isEmpty()) {
            faults.landed(Fault.DROPPED);
            world.checks().repairs().dropped(all);
            world.database().dropWithoutRow(all::contains);
        }
    }

    private InMemoryParkedStore store(String key) {
        return stores.get(world.division().slots().slotOf(key));
    }

    private @Nullable Snapshot someRow() {
        String key = world.troubles().someRow();
        return key == null ? null : Objects.requireNonNull(world.database().rows().get(key));
    }
}
