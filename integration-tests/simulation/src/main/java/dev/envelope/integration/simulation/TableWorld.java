package dev.envelope.integration.simulation;

import dev.envelope.core.membership.SlotPlan;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.table.TableRow;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * All that a seed makes of processes that read a table: transactions that insert rows, some of them
 * long, and what befalls processes and database. At some time all that is wrong comes to an end;
 * then every row must be done, once, within {@link World#HEALING}.
 *
 * <p>Threads: one thread.
 */
final class TableWorld implements Scene {

    private static final long MILLIS = 1_000_000;
    private static final int MOST_SLOTS = 5;
    private static final int LONGEST_START_MILLIS = 2_000;
    private static final int LONGEST_TRANSACTION_MILLIS = 3_000;
    private static final String POISON = "p";

    private final RandomGenerator random;
    private final TableWiring wiring;
    private final Scheduler scheduler = new Scheduler();
    private final FaultPlan faults;
    private final InMemoryDatabase database = new InMemoryDatabase(scheduler::now);
    private final SimSlots slots;
    private final TableOutputs outputChecks = new TableOutputs(this);
    private final OutputTopics outputs;
    private final int keys;
    private final List<TableInstance> processes = new ArrayList<>();
    private Map<Long, Inserted> inserted = new HashMap<>();
    private @Nullable Backup backup;
    private @Nullable Violation violation;
    private int lives;
    private int started;
    private int commits;
    private long ids;
    private long downUntil;

    /** A row that was committed, as the how many-th. */
    private record Inserted(String key, int number) {}

    /** What the database goes back to. */
    private record Backup(
            InMemoryDatabase.Backup database,
            Map<String, TableRow> table,
            Map<Long, Inserted> inserted,
            int slots) {}

    TableWorld(RandomGenerator random, TableWiring wiring, FaultCounts counts) {
        this.random = random;
        this.wiring = wiring;
        faults = new FaultPlan(random, counts);
        int count = 1 + random.nextInt(4);
        int each = random.nextBoolean() ? MOST_SLOTS : 1;
        slots = new SimSlots(this, new SlotPlan(count, each, Duration.ofSeconds(2)), others(count));
        keys = 1 + random.nextInt(30);
        outputs = new OutputTopics(this, outputChecks, true);
    }

    /** To what numbers of slots processes are rolled. */
    private List<Integer> others(int count) {
        List<Integer> others = new ArrayList<>();
        if (random.nextInt(3) == 0) {
            others.add(1 + random.nextInt(MOST_SLOTS));
            if (random.nextBoolean()) {
                others.add(count);
            }
        }
        return others;
    }

    /** From the first row to the last. */
    void run() {
        int count = 200 + random.nextInt(300);
        for (int i = 0; i < count; i++) {
            scheduler.after((long) (TROUBLE_ENDS * random.nextDouble()), this::insert);
        }
        plan(1 + faults.occurrences(2, 2), this::killOne);
        plan(faults.occurrences(2, 2), this::closeOne);
        plan(1 + faults.occurrences(2, 2), this::freezeOne);
        plan(faults.occurrences(3, 1), this::goDown);
        plan(faults.occurrences(3, 1), this::restart);
        if (faults.occurrences(4, 1) > 0) {
            plan(1, this::backUp);
            plan(1, this::goBack);
        }
        outputs.plan();
        slots.begin(this::replace);
        int wanted =
                slots.first().perProcess() == 1
                        ? slots.most() + random.nextInt(2)
                        : 1 + random.nextInt(3);
        for (int i = 0; i < wanted; i++) {
            startWithin(1_000);
        }
        every(200 * MILLIS, this::look);
        scheduler.runUntil(TROUBLE_ENDS, () -> violation != null);
        throwViolation();
        faults.end();
        downUntil = 0;
        outputs.mend();
        long begun = scheduler.now();
        scheduler.runUntil(begun + World.HEALING, () -> violation != null || isAllDone());
        look();
        throwViolation();
        if (!isAllDone()) {
            throw new Violation(
                    "stall",
                    "not done: "
                            + database.table().rows().keySet()
                            + ", to be sent "
                            + database.outputs()
                            + ", "
                            + processes);
        }
        if (outputs.isOn()) {
            outputChecks.atTheEnd();
            throwViolation();
        }
        faults.counts().healed(scheduler.now() - begun);
    }

    /** All that was inserted is in a state or parked, and none is left. */
    private boolean isAllDone() {
        return scheduler.now() > TROUBLE_ENDS + LONGEST_TRANSACTION_MILLIS * MILLIS
                && database.table().rows().isEmpty()
                && database.outputs().isEmpty()
                && inserted.keySet().equals(done());
    }

    private Set<Long> done() {
        Set<Long> done = new HashSet<>();
        database.rows().values().forEach(it -> done.addAll(applied(it)));
        database.parked().forEach(it -> done.add(idOf(it)));
        return done;
    }

    /** The ids of the rows that were applied to a key, in order. */
    List<Long> applied(String key) {
        @Nullable Snapshot row = database.row(key);
        return row == null ? List.of() : applied(row);
    }

    static List<Long> applied(Snapshot row) {
        byte @Nullable [] state = row.state();
        return state == null
                ? List.of()
                : Arrays.stream(
                                new String(state, 1, state.length - 2, StandardCharsets.UTF_8)
                                        .split(" ", -1))
                        .map(Long::valueOf)
                        .toList();
    }

    private static long idOf(ParkedMessage parked) {
        return Long.parseLong(Objects.requireNonNull(TableRow.idOf(parked.message())));
    }

    // --- what has to be true at any time

    /** Each row once, and those of a key that were there together in the order of their ids. */
    private void look() {
        Set<Long> seen = new HashSet<>();
        database.rows().forEach((key, row) -> look(key, applied(row), seen));
        for (ParkedMessage parked : database.parked()) {
            once(idOf(parked), seen);
        }
        Map<String, TableRow> left = database.table().rows();
        seen.stream()
                .filter(it -> left.containsKey(Long.toString(it)))
                .forEach(it -> fail("done-and-left", "row " + it + " has had its effect"));
    }

    private void look(String key, List<Long> applied, Set<Long> seen) {
        for (int at = 0; at < applied.size(); at++) {
            long id = applied.get(at);
            once(id, seen);
            @Nullable Inserted row = inserted.get(id);
            if (row == null || !row.key().equals(key)) {
                fail("invented", "row " + id + " of " + key + " was never inserted");
                return;
            }
            for (long earlier : applied.subList(0, at)) {
                @Nullable Inserted before = inserted.get(earlier);
                if (before != null && earlier > id && row.number() < before.number()) {
                    fail("order", "row %d of %s came before %d".formatted(earlier, key, id));
                }
            }
        }
    }

    private void once(long id, Set<Long> seen) {
        if (!seen.add(id)) {
            fail("twice", "row " + id + " has had its effect twice");
        }
    }

    /** Ends the story: a mutant may go on without end, and no time passes. */
    void fail(String anomaly, String what) {
        Violation found = new Violation(anomaly, what);
        if (violation == null) {
            violation = found;
        }
        throw found;
    }

    private void throwViolation() {
        if (violation != null) {
            throw violation;
        }
    }

    // --- rows

    /** The id is drawn now; the transaction commits later, if the database lives on until then. */
    private void insert() {
        long id = ++ids;
        String key = "key-" + random.nextInt(keys);
        String value = faults.happens(Fault.POISON) ? POISON : "v";
        int life = lives;
        long open =
                random.nextInt(4) == 0
                        ? random.nextInt(LONGEST_TRANSACTION_MILLIS) * MILLIS
                        : random.nextInt(1_000_000);
        faults.counts().produced(1);
        scheduler.after(
                open,
                () -> {
                    if (lives == life) {
                        inserted.put(id, new Inserted(key, ++commits));
                        database.table()
                                .insert(
                                        new TableRow(
                                                key,
                                                Long.toString(id),
                                                value.getBytes(StandardCharsets.UTF_8),
                                                scheduler.now() / MILLIS));
                    }
                });
    }

    boolean isPoison(@Nullable String value) {
        return POISON.equals(value);
    }

    // --- troubles

    private void startWithin(int millis) {
        scheduler.after(
                random.nextInt(millis) * MILLIS,
                () -> {
                    processes.removeIf(SimProcess::isDead);
                    processes.add(new TableInstance("process-" + ++started, this, wiring));
                });
    }

    private Optional<TableInstance> one() {
        List<TableInstance> alive = processes.stream().filter(it -> !it.isDead()).toList();
        return alive.isEmpty()
                ? Optional.empty()
                : Optional.of(alive.get(random.nextInt(alive.size())));
    }

    private void killOne() {
        one().ifPresent(
                        it -> {
                            faults.landed(Fault.KILL);
                            it.kill();
                            startWithin(LONGEST_START_MILLIS);
                        });
    }

    private void replace(SimProcess process) {
        faults.landed(Fault.ROLLED);
        process.kill();
        startWithin(LONGEST_START_MILLIS);
    }

    private void closeOne() {
        one().ifPresent(
                        it -> {
                            faults.landed(Fault.CLOSED);
                            if (it.close()) {
                                startWithin(LONGEST_START_MILLIS);
                            }
                        });
    }

    private void freezeOne() {
        one().ifPresent(
                        it -> {
                            faults.landed(Fault.FREEZE);
                            it.freeze((200 + random.nextInt(8_000)) * MILLIS);
                        });
    }

    private void goDown() {
        faults.landed(Fault.STORE_DOWN);
        downUntil = scheduler.now() + (50 + random.nextInt(3_000)) * MILLIS;
    }

    boolean isStoreDown() {
        return scheduler.now() < downUntil;
    }

    private void restart() {
        faults.landed(Fault.RESTARTED);
        lives++;
        slots.restarted();
        database.restart();
    }

    private void backUp() {
        backup =
                new Backup(
                        database.backup(),
                        database.table().rows(),
                        new HashMap<>(inserted),
                        slots.recorded());
    }

    /** What was inserted and done since is lost, both together. */
    private void goBack() {
        @Nullable Backup to = backup;
        if (to != null) {
            faults.landed(Fault.WENT_BACK);
            outputChecks.goesBack();
            lives++;
            slots.wentBack(to.slots());
            database.restore(to.database());
            database.table().restore(to.table());
            inserted = new HashMap<>(to.inserted());
            if (to.slots() == 0) { // whoever runs says that one has to be started again
                one().ifPresent(this::replace);
            }
        }
    }

    // --- what it is made of

    InMemoryDatabase database() {
        return database;
    }

    /** Where outputs go. */
    OutputTopics outputs() {
        return outputs;
    }

    SimSlots slots() {
        return slots;
    }

    @Override
    public Scheduler scheduler() {
        return scheduler;
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public FaultPlan faults() {
        return faults;
    }
}
