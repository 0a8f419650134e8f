package dev.envelope.integration.simulation;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.key.Ordering;
import dev.envelope.core.offset.TopicAdmin.Commit;
import dev.envelope.core.position.PositionPolicy;
import dev.envelope.core.position.PositionPolicy.Gap;
import dev.envelope.core.position.PositionPolicy.LogTruncated;
import dev.envelope.core.position.PositionPolicy.OffsetAhead;
import dev.envelope.core.position.PositionPolicy.TopicRecreated;
import dev.envelope.core.position.StartFrom;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * All that a seed makes of processes without rows: one topic, the group, and what befalls them. At
 * some time all that is wrong comes to an end; then everything must be done within {@link
 * World#HEALING}.
 *
 * <p>Threads: one thread.
 */
final class WorkWorld implements Cluster {

    static final String TOPIC = "calls";

    private static final long MILLIS = 1_000_000;
    private static final int LONGEST_START_MILLIS = 2_000;
    private static final byte POISON = 'p';

    private final RandomGenerator random;
    private final WorkWiring wiring;
    private final Scheduler scheduler = new Scheduler();
    private final FaultPlan faults;
    private final SimLog log = new SimLog();
    private final SimGroup group;
    private final WorkBook book = new WorkBook(this);
    private final Ordering ordering;
    private final int atOnce;
    private final FailurePolicy.Last last;
    private final int keys;
    private final @Nullable WorkTables tables; // null where the handler gets no connection
    private final List<WorkInstance> processes = new ArrayList<>();
    private int started;
    private int produced;
    private long serverAwayUntil;

    WorkWorld(RandomGenerator random, WorkWiring wiring, FaultCounts counts) {
        this.random = random;
        this.wiring = wiring;
        faults = new FaultPlan(random, counts);
        SimGroup.Protocol[] protocols = SimGroup.Protocol.values();
        group = new SimGroup(protocols[random.nextInt(protocols.length)], random);
        Ordering.By[] orders = Ordering.By.values();
        atOnce = random.nextBoolean() ? 1 : 2 + random.nextInt(10);
        ordering = new Ordering(orders[random.nextInt(orders.length)], 1).inBatchesOf(atOnce);
        last = random.nextInt(3) == 0 ? FailurePolicy.Last.STOP : FailurePolicy.Last.DEAD_LETTER;
        keys = 1 + random.nextInt(30);
        log.create(TOPIC, 1 + random.nextInt(4));
        tables = random.nextInt(3) == 0 ? new WorkTables(this) : null;
    }

    /** From the first message to the last call. */
    void run() {
        try {
            live();
        } catch (RuntimeException | Error e) {
            throwViolation(); // it may be thrown through the frames of another process
            throw e;
        }
    }

    private void live() {
        int count = 200 + random.nextInt(200);
        for (int i = 0; i < count; i++) {
            scheduler.after((long) (TROUBLE_ENDS * random.nextDouble()), this::produce);
        }
        plan(1 + faults.occurrences(2, 2), this::killOne);
        plan(1 + faults.occurrences(2, 2), this::revoke);
        plan(faults.occurrences(2, 2), this::closeOne);
        plan(faults.occurrences(2, 2), this::freezeOne);
        plan(faults.occurrences(3, 1), this::keepOneFromPolling);
        plan(faults.occurrences(3, 1), this::serverGoesAway);
        plan(faults.occurrences(8, 1), this::truncate);
        plan(faults.occurrences(6, 1), this::moveBack);
        if (faults.occurrences(10, 1) > 0) {
            plan(1, this::recreate);
        }
        if (tables != null) {
            tables.plan();
        }
        tellGroup();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            startWithin(1_000);
        }
        every(500 * MILLIS, () -> group.expire(scheduler.now()));
        scheduler.runUntil(TROUBLE_ENDS, () -> book.violation() != null);
        throwViolation();
        heal();
    }

    private void heal() {
        faults.end();
        serverAwayUntil = 0;
        every(2_000 * MILLIS, this::mend);
        long begun = scheduler.now();
        scheduler.runUntil(begun + World.HEALING, () -> book.violation() != null || isAllDone());
        throwViolation();
        if (!isAllDone()) {
            throw new Violation(
                    "stall",
                    "not done: "
                            + log.all().stream().map(book::notDone).toList()
                            + ", "
                            + processes
                            + ", commits "
                            + log.all().stream().map(it -> log.commit(it.name())).toList()
                            + (tables == null ? "" : ", " + tables));
        }
        faults.counts().healed(scheduler.now() - begun);
    }

    private boolean isAllDone() {
        return log.has(TOPIC) && log.all().stream().allMatch(book::isCaughtUp);
    }

    /**
     * The operator starts again what is stopped, and moves the group to where a log was cut, or
     * deletes marks of what was cut off.
     */
    private void mend() {
        for (WorkInstance stopped : alive()) {
            if (stopped.isStopped()) {
                kill(stopped);
                if (tables == null) {
                    log.all().forEach(this::moveToTheCut);
                } else {
                    tables.forgetTheTruncated();
                }
            }
        }
    }

    private void moveToTheCut(SimPartition partition) {
        Optional<Commit> commit = log.commit(partition.name());
        if (partition.wasTruncated() && commit.isPresent()) {
            NextOffset said = commit.get().next();
            long end =
                    said.leaderEpoch() < 0
                            ? partition.end().offset()
                            : partition.endOf(said.leaderEpoch());
            if (end < said.offset()) {
                log.commit(
                        partition.name(), new Commit(new NextOffset(end, NextOffset.NO_EPOCH), ""));
            }
        }
    }

    private void throwViolation() {
        Violation violation = book.violation();
        if (violation != null) {
            throw violation;
        }
    }

    // --- messages

    private void produce() {
        List<SimPartition> all = log.of(TOPIC);
        if (all.isEmpty()) {
            scheduler.after(100 * MILLIS, this::produce);
            return;
        }
        int number = random.nextInt(keys);
        SimPartition partition = all.get(number % all.size());
        String key = "key-" + number;
        boolean isPoison = faults.happens(Fault.POISON);
        partition.append(
                key,
                key.getBytes(StandardCharsets.UTF_8),
                ((isPoison ? "p" : "v") + produced).getBytes(StandardCharsets.UTF_8),
                produced++,
                scheduler.now() / MILLIS,
                null);
        faults.counts().produced(1);
        if (faults.happens(Fault.OFFSETS_SKIPPED)) {
            partition.skipOffsets(1 + random.nextInt(3));
        }
        if (random.nextInt(50) == 0) {
            partition.electLeader();
        }
    }

    /** Whether it can't be done; once it would stop its partition, not for ever. */
    boolean isPoison(Message message) {
        byte @Nullable [] value = message.value();
        boolean isMended = last == FailurePolicy.Last.STOP && faults.areOver();
        return value != null && value[0] == POISON && !isMended;
    }

    // --- troubles

    private void startWithin(int millis) {
        scheduler.after(
                random.nextInt(millis) * MILLIS,
                () -> {
                    processes.removeIf(SimProcess::isDead);
                    processes.add(new WorkInstance("process-" + ++started, this, wiring));
                });
    }

    private List<WorkInstance> alive() {
        return processes.stream().filter(it -> !it.isDead()).toList();
    }

    private Optional<WorkInstance> one() {
        List<WorkInstance> alive = alive();
        return alive.isEmpty()
                ? Optional.empty()
                : Optional.of(alive.get(random.nextInt(alive.size())));
    }

    private void kill(WorkInstance process) {
        process.kill();
        startWithin(LONGEST_START_MILLIS);
    }

    private void killOne() {
        one().ifPresent(
                        it -> {
                            faults.landed(Fault.KILL);
                            kill(it);
                        });
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

    private void keepOneFromPolling() {
        one().ifPresent(
                        it -> {
                            faults.landed(Fault.LOST);
                            it.stopPolling(SimGroup.SESSION_NANOS + random.nextInt(3_000) * MILLIS);
                        });
    }

    private void revoke() {
        faults.landed(Fault.REVOKE);
        group.rebalance();
    }

    private void serverGoesAway() {
        faults.landed(Fault.DECODER_OUT);
        serverAwayUntil = scheduler.now() + (50 + random.nextInt(3_000)) * MILLIS;
    }

    boolean isServerAway() {
        return scheduler.now() < serverAwayUntil;
    }

    private void truncate() {
        List<SimPartition> all = log.of(TOPIC);
        if (all.isEmpty()) {
            return;
        }
        SimPartition partition = all.get(random.nextInt(all.size()));
        long end = partition.end().offset();
        if (end > 0) {
            faults.landed(Fault.TRUNCATED);
            partition.truncate(Math.max(0, end - 1 - random.nextInt(20)));
        }
    }

    /** Somebody moves the group back, and leaves what stands beside the offset as it was. */
    private void moveBack() {
        for (SimPartition partition : log.of(TOPIC)) {
            log.commit(partition.name())
                    .filter(it -> it.next().offset() > partition.start())
                    .filter(it -> !partition.wasTruncated()) // that might be beyond the cut
                    .ifPresent(
                            it -> {
                                faults.landed(Fault.MOVED_BACK);
                                long to = random.nextInt((int) it.next().offset());
                                NextOffset next = new NextOffset(to, partition.epochOf(to - 1));
                                log.commit(partition.name(), new Commit(next, it.metadata()));
                                book.movedBack(partition.name());
                            });
        }
    }

    /** Sometimes somebody brings the commits of the former topic back. */
    private void recreate() {
        if (!log.has(TOPIC)) {
            return;
        }
        faults.landed(Fault.RECREATED);
        List<SimPartition> former = List.copyOf(log.of(TOPIC));
        Map<TopicPartition, Commit> commits = new HashMap<>();
        former.forEach(
                it -> log.commit(it.name()).ifPresent(commit -> commits.put(it.name(), commit)));
        log.delete(TOPIC);
        tellGroup();
        boolean areRestored = random.nextBoolean();
        scheduler.after(
                (500 + random.nextInt(2_000)) * MILLIS,
                () -> {
                    log.create(TOPIC, former.size());
                    if (areRestored) {
                        commits.forEach(log::commit);
                    }
                    tellGroup();
                });
    }

    private void tellGroup() {
        group.learn(log.all().stream().map(SimPartition::name).toList());
    }

    // --- what it is made of

    PositionPolicy positions() {
        return new PositionPolicy(new StartFrom.Earliest(), OffsetAhead.STOP, Gap.STOP)
                .with(TopicRecreated.CONTINUE)
                .with(LogTruncated.CONTINUE);
    }

    FailurePolicy.Last last() {
        return last;
    }

    /** How many messages a call may have. */
    int atOnce() {
        return atOnce;
    }

    Ordering ordering() {
        return ordering;
    }

    /** What the handler writes to; null if it gets no connection. */
    @Nullable WorkTables tables() {
        return tables;
    }

    WorkBook book() {
        return book;
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
    public SimLog log() {
        return log;
    }

    @Override
    public SimGroup group() {
        return group;
    }

    @Override
    public FaultPlan faults() {
        return faults;
    }

    List<String> describe() {
        return List.of(
                tables == null ? "work" : "work in transactions",
                group.protocol().toString(),
                Objects.toString(ordering),
                Objects.toString(last));
    }
}
