package dev.envelope.integration.simulation;

import dev.envelope.idempotency.store.Change;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.Snapshot;
import dev.envelope.idempotency.store.StateStore.Locks;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * All that a seed makes: the log, the group, the database, the processes, and what befalls them.
 *
 * <p>Threads: one thread.
 */
final class World {

    private static final long MILLIS = 1_000_000;
    private static final long TROUBLE_ENDS = 6_000 * MILLIS;
    private static final long PATIENCE = 180_000 * MILLIS;
    private static final int MIN_MESSAGES = 200;

    private final RandomGenerator random;
    private final Wiring wiring;
    private final Scheduler scheduler = new Scheduler();
    private final FaultPlan faults;
    private final SimLog log;
    private final SimGroup group;
    private final InMemoryDatabase database = new InMemoryDatabase();
    private final Checks checks;
    private final Operator operator;
    private final List<SimInstance> processes = new ArrayList<>();
    private final Map<String, Long> lockedUntil = new HashMap<>();
    private final Deque<InMemoryDatabase.Backup> backups = new ArrayDeque<>();
    private long storeDownUntil;
    private int started;

    World(RandomGenerator random, Wiring wiring, FaultCounts counts) {
        this.random = random;
        this.wiring = wiring;
        faults = new FaultPlan(random, counts);
        log = new SimLog(1 + random.nextInt(6));
        group = new SimGroup(log.all(), random);
        checks = new Checks(log, database);
        operator = new Operator(this);
    }

    /** From the first message to the last row. */
    void run() {
        try {
            live();
        } catch (RuntimeException | Error e) {
            // A violation in a process may be thrown through the frames of another one.
            Violation violation = checks.violation();
            if (violation != null) {
                throw violation;
            }
            throw e;
        }
    }

    private void live() {
        planMessages();
        planTroubles();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            scheduler.after(random.nextInt(1_000) * MILLIS, this::start);
        }
        every(500 * MILLIS, this::expireMembers);
        every(700 * MILLIS, operator::look);
        scheduler.runUntil(TROUBLE_ENDS, () -> checks.violation() != null);
        if (checks.violation() == null) {
            faults.end();
            // Not from TROUBLE_ENDS on: whoever was blocked then may have come back much later.
            scheduler.runUntil(scheduler.now() + PATIENCE, this::isOver);
        }
        Violation violation = checks.violation();
        if (violation != null) {
            throw violation;
        }
        if (!isDone()) {
            throw new Violation("stall", "not caught up: " + processes);
        }
        checks.atTheEnd();
    }

    private boolean isOver() {
        return checks.violation() != null || isDone();
    }

    private boolean isDone() {
        return operator.isContent() && checks.isCaughtUp();
    }

    private void every(long nanos, Runnable action) {
        scheduler.after(
                nanos,
                () -> {
                    action.run();
                    every(nanos, action);
                });
    }

    private void planMessages() {
        Workload workload = new Workload(log, random, faults);
        int count = MIN_MESSAGES + random.nextInt(300);
        for (int i = 0; i < count; i++) {
            long at = (long) (TROUBLE_ENDS * random.nextDouble());
            scheduler.after(at, () -> workload.produce(1_000_000 + at / MILLIS));
        }
    }

    /** At least three: a kill, a revoke and a restart of the database. */
    private void planTroubles() {
        plan(1 + faults.occurrences(2), this::killOne);
        plan(1 + faults.occurrences(2), this::revoke);
        plan(1, this::restartDatabase);
        plan(faults.occurrences(2), this::freezeOne);
        plan(faults.occurrences(1), this::keepOneFromPolling);
        plan(faults.occurrences(2), this::closeOne);
        plan(faults.occurrences(2), this::storeDown);
        plan(faults.occurrences(3), this::lockRow);
        plan(faults.occurrences(3), this::touchRow);
        if (random.nextInt(3) == 0) {
            every(200 * MILLIS, this::backUp);
            plan(1 + faults.occurrences(1), this::databaseGoesBack);
        }
    }

    private void plan(int times, Runnable trouble) {
        for (int i = 0; i < times; i++) {
            long at = (long) (TROUBLE_ENDS * (0.1 + 0.8 * random.nextDouble()));
            scheduler.after(at, trouble);
        }
    }

    private void start() {
        processes.removeIf(SimInstance::isDead);
        processes.add(new SimInstance("process-" + ++started, this, wiring));
    }

    private @Nullable SimInstance one() {
        List<SimInstance> alive = processes.stream().filter(it -> !it.isDead()).toList();
        return alive.isEmpty() ? null : alive.get(random.nextInt(alive.size()));
    }

    private void killOne() {
        SimInstance victim = one();
        if (victim != null) {
            faults.landed(Fault.KILL);
            victim.kill();
            scheduler.after(random.nextInt(3_000) * MILLIS, this::start);
        }
    }

    private void closeOne() {
        SimInstance leaver = one();
        if (leaver != null) {
            faults.landed(Fault.CLOSED);
            leaver.close();
            scheduler.after(random.nextInt(3_000) * MILLIS, this::start);
        }
    }

    private void freezeOne() {
        SimInstance frozen = one();
        if (frozen != null) {
            faults.landed(Fault.FREEZE);
            frozen.freeze((200 + random.nextInt(8_000)) * MILLIS);
        }
    }

    private void keepOneFromPolling() {
        SimInstance silent = one();
        if (silent != null) {
            faults.landed(Fault.LOST);
            silent.stopPolling(SimGroup.SESSION_NANOS + random.nextInt(3_000) * MILLIS);
        }
    }

    private void revoke() {
        faults.landed(Fault.REVOKE);
        group.assign();
    }

    private void expireMembers() {
        group.expire(scheduler.now());
    }

    private void storeDown() {
        faults.landed(Fault.STORE_DOWN);
        storeDownUntil = scheduler.now() + (50 + random.nextInt(3_000)) * MILLIS;
    }

    private void lockRow() {
        String key = someRow();
        if (key != null) {
            lockedUntil.put(key, scheduler.now() + (50 + random.nextInt(3_000)) * MILLIS);
        }
    }

    private void touchRow() {
        String key = someRow();
        if (key != null) {
            faults.landed(Fault.ROW_TOUCHED);
            Snapshot row = Objects.requireNonNull(database.rows().get(key));
            Change touch =
                    new Change(
                            key,
                            row.version(),
                            row.state(),
                            row.marks(),
                            row.ids(),
                            row.parked(),
                            List.of());
            new InMemoryStateStore(database)
                    .save(List.of(touch), Locks.WAIT, database.incarnation());
        }
    }

    private @Nullable String someRow() {
        List<String> keys = List.copyOf(database.rows().keySet());
        return keys.isEmpty() ? null : keys.get(random.nextInt(keys.size()));
    }

    private void restartDatabase() {
        faults.landed(Fault.RESTARTED);
        database.restart();
    }

    private void backUp() {
        if (database.sources().size() == log.partitionCount()) {
            backups.addLast(database.backup());
            if (backups.size() > 6) {
                backups.removeFirst();
            }
        }
    }

    private void databaseGoesBack() {
        if (!backups.isEmpty()) {
            faults.landed(Fault.WENT_BACK);
            List<InMemoryDatabase.Backup> all = List.copyOf(backups);
            database.restore(all.get(random.nextInt(all.size())));
            backups.clear();
        }
    }

    boolean isStoreDown() {
        return scheduler.now() < storeDownUntil;
    }

    boolean isLocked(String key) {
        return scheduler.now() < lockedUntil.getOrDefault(key, 0L);
    }

    RandomGenerator random() {
        return random;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    FaultPlan faults() {
        return faults;
    }

    SimLog log() {
        return log;
    }

    SimGroup group() {
        return group;
    }

    InMemoryDatabase database() {
        return database;
    }

    Checks checks() {
        return checks;
    }
}
