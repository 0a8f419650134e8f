package dev.envelope.integration.simulation;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.key.Division;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.place.SlotWatch;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What befalls processes, group and database at times that the seed has drawn.
 *
 * <p>Threads: one thread.
 */
final class Troubles {

    private static final long MILLIS = 1_000_000;
    private static final int BACKUPS = 6;

    /**
     * What the database held, and what the checks knew of the rows that were gone by then, and how
     * many outputs were saved.
     */
    private record Backup(
            int place,
            List<InMemoryDatabase.Backup> slots,
            Map<String, Map<Integer, NextOffset>> purged,
            int outputs,
            Map<CommandId, ReplyChecks.Answered> replies) {}

    private final World world;
    private final RandomGenerator random;
    private final FaultPlan faults;
    private final SimDatabase database;
    private final Deque<Backup> backups = new ArrayDeque<>();
    private final long[] downUntil; // by place

    Troubles(World world) {
        this.world = world;
        this.random = world.random();
        this.faults = world.faults();
        this.database = world.database();
        this.downUntil = new long[database.places()];
    }

    private int somePlace() {
        return database.places() == 1 ? 0 : random.nextInt(database.places());
    }

    /** At least three: a kill, a revoke and a restart of the database. */
    void plan() {
        world.plan(1 + faults.occurrences(2, 2), this::killOne);
        world.plan(1 + faults.occurrences(2, 2), this::revoke);
        world.plan(1, this::restartDatabase);
        world.plan(faults.occurrences(2, 2), this::freezeOne);
        world.plan(faults.occurrences(3, 1), this::keepOneFromPolling);
        world.plan(faults.occurrences(2, 2), this::closeOne);
        world.plan(faults.occurrences(2, 2), this::storeDown);
        world.plan(faults.occurrences(2, 3), this::touchRow);
        if (database.places() > 1) {
            world.plan(faults.occurrences(2, 3), this::moveSlot);
        }
        int goesBack = faults.occurrences(3, 1);
        if (goesBack > 0) {
            world.every(200 * MILLIS, this::backUp);
            world.plan(goesBack, this::databaseGoesBack);
        }
    }

    private void killOne() {
        SimInstance victim = world.processes().one();
        if (victim == null) {
            world.scheduler().after(100 * MILLIS, this::killOne); // none has started yet
        } else {
            faults.landed(Fault.KILL);
            world.processes().kill(victim);
        }
    }

    private void closeOne() {
        SimInstance leaver = world.processes().one();
        if (leaver != null) {
            faults.landed(Fault.CLOSED);
            world.processes().restart(leaver);
        }
    }

    private void freezeOne() {
        SimInstance frozen = world.processes().one();
        if (frozen != null) {
            faults.landed(Fault.FREEZE);
            frozen.freeze((200 + random.nextInt(8_000)) * MILLIS);
        }
    }

    private void keepOneFromPolling() {
        SimInstance silent = world.processes().one();
        if (silent != null) {
            faults.landed(Fault.LOST);
            silent.stopPolling(SimGroup.SESSION_NANOS + random.nextInt(3_000) * MILLIS);
        }
    }

    private void revoke() {
        faults.landed(Fault.REVOKE);
        world.group().rebalance();
    }

    private void storeDown() {
        faults.landed(Fault.STORE_DOWN);
        long until = world.scheduler().now() + (50 + random.nextInt(3_000)) * MILLIS;
        if (database.places() > 1) {
            faults.landed(Fault.PLACE_DOWN);
        }
        leave(somePlace(), until);
    }

    /** A place does not answer until then. */
    void leave(int place, long until) {
        downUntil[place] = until;
    }

    private void touchRow() {
        String key = someRow();
        if (key != null) {
            faults.landed(Fault.ROW_TOUCHED);
            Snapshot row = Objects.requireNonNull(database.row(key));
            Change touch =
                    new Change(
                            key,
                            row.version(),
                            row.state(),
                            row.marks(),
                            row.ids(),
                            row.parked(),
                            List.of());
            InMemoryDatabase its = database.of(key);
            new InMemoryStateStore(its).save(List.of(touch), Patience.WAIT, its.incarnation());
            Snapshot after = Objects.requireNonNull(database.row(key));
            world.checks().rows().touched(row, after);
        }
    }

    /** The key of any row, or null without any. */
    @Nullable String someRow() {
        List<String> keys = List.copyOf(database.rows().keySet());
        return keys.isEmpty() ? null : keys.get(random.nextInt(keys.size()));
    }

    private void restartDatabase() {
        faults.landed(Fault.RESTARTED);
        database.restart(somePlace());
    }

    private void backUp() {
        if (world.isEveryTopicKnown()) {
            for (int place = 0; place < database.places(); place++) {
                backups.addLast(
                        new Backup(
                                place,
                                database.backup(place),
                                world.checks().purges().known(),
                                world.checks().outputs().known(),
                                world.checks().replies().known()));
            }
            while (backups.size() > BACKUPS * database.places()) {
                backups.removeFirst();
            }
        }
    }

    private void databaseGoesBack() {
        if (!backups.isEmpty()) {
            faults.landed(Fault.WENT_BACK);
            List<Backup> all = List.copyOf(backups);
            Backup backup = all.get(random.nextInt(all.size()));
            if (database.places() > 1) {
                faults.landed(Fault.PLACE_WENT_BACK);
            }
            database.restore(backup.place(), backup.slots());
            world.checks().purges().goBack(backup.place(), backup.purged());
            world.checks().outputs().goBack(backup.outputs());
            world.checks().replies().goBack(backup.place(), backup.replies());
            world.checks().progress().lookAgain();
            world.checks().pauses().lookAgain();
            world.books().forgetAll(backup.place());
            world.operator().lookAgain();
            world.callers().askAgain();
            backups.removeIf(it -> it.place() == backup.place());
        }
    }

    /** A slot leaves its place, which has others, and is at another one a while later. */
    private void moveSlot() {
        List<Integer> candidates = new ArrayList<>();
        for (int slot = 0; slot < database.division().slots(); slot++) {
            int its = database.division().placeOf(slot);
            long there =
                    database.division().slotsAt(its).stream()
                            .filter(it -> !database.isMoving(it))
                            .count();
            if (!database.isMoving(slot) && there > 1) {
                candidates.add(slot);
            }
        }
        int to = somePlace();
        if (candidates.isEmpty()) {
            return;
        }
        int slot = candidates.get(random.nextInt(candidates.size()));
        int from = database.division().placeOf(slot);
        if (from == to || isStoreDown(from) || isStoreDown(to)) {
            return;
        }
        boolean isTakenBack = random.nextInt(4) == 0;
        database.hide(slot);
        world.scheduler()
                .after(
                        (10 + random.nextInt(3_000)) * MILLIS,
                        () -> {
                            if (isTakenBack || isStoreDown(from) || isStoreDown(to)) {
                                faults.landed(Fault.MOVE_TAKEN_BACK);
                                database.show(slot);
                            } else {
                                faults.landed(Fault.SLOT_MOVED);
                                database.move(slot, to);
                                backups.removeIf(it -> it.place() == from || it.place() == to);
                            }
                        });
    }

    /** The slots of places that are away: a start goes on without them, but for the first one. */
    List<SlotWatch.Away> awayAtStart(Division slots) {
        if (isStoreDown(slots.placeOf(0))) {
            return List.of();
        }
        List<SlotWatch.Away> away =
                IntStream.range(1, slots.slots())
                        .filter(slot -> isStoreDown(slots.placeOf(slot)))
                        .mapToObj(
                                slot ->
                                        new SlotWatch.Away(
                                                slot,
                                                "slot " + slot + " was not there at the start",
                                                SlotWatch.Reason.NOT_ASKED))
                        .toList();
        if (!away.isEmpty()) {
            faults.landed(Fault.PLACE_DOWN_AT_START);
        }
        return away;
    }

    boolean isStoreDown(int place) {
        return world.scheduler().now() < downUntil[place];
    }
}
