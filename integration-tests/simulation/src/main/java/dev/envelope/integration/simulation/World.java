package dev.envelope.integration.simulation;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.position.PositionPolicy.Gap;
import dev.envelope.core.status.PartitionStatus;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * All that a seed makes: the logs, the group, the database, the processes, and what befalls them.
 *
 * <p>Of two seeds one is about safety: things go wrong until its end, and nothing wrong may have
 * become durable or been promised. The other is about liveness as well: at some time all that is
 * wrong comes to an end, and from then on everything must be caught up within {@link #HEALING}, and
 * the time in which processes are started again that die of messages, or requests wait for room.
 *
 * <p>Threads: one thread.
 */
final class World implements Cluster {

    private static final long MILLIS = 1_000_000;
    private static final long SENT_AGAIN_AFTER = 100 * MILLIS;
    private static final long LOOK_EVERY = 50 * MILLIS;
    private static final int LONGEST_BLOCKED = 4; // times that which healing may take
    private static final int MIN_MESSAGES = 200;
    // A topic that is deleted near the end may be made again after it.
    private static final int MAY_COME_TOO_LATE = 100;

    /** How long it may take at the most until nothing is left to do, once nothing is wrong. */
    static final long HEALING = 240_000 * MILLIS;

    /** Of an operator's requests, up to half a minute each, where few outputs may wait. */
    private static final long WAITING_FOR_ROOM = 1_200_000 * MILLIS;

    private final RandomGenerator random;
    private final Scheduler scheduler = new Scheduler();
    private final FaultPlan faults;
    private final SimLog log = new SimLog();
    private final Set<String> topics;
    private final SimGroup group;
    private final SimDivision division;
    private final SimDatabase database;
    private final Losses losses = new Losses();
    private final Doubts doubts = new Doubts(this);
    private final Checks checks = new Checks(this);
    private final Processes processes;
    private final Troubles troubles;
    private final LetterTopic letters;
    private final OutputTopics outputs;
    private final SimTimers timers;
    private final Callers callers;
    private final Purging purging;
    private final RowLocks locks;
    private final @Nullable SimSlots slots; // null where a group divides the partitions
    private final RowFaults rowFaults = new RowFaults(this);
    private final InFlight inFlight = new InFlight(this);
    private final boolean isAboutLocks;
    private final Operator operator;
    private final Versions versions;
    private final Formats formats;
    private final Registry registry;
    private final SimBooks books = new SimBooks(this);
    private final boolean isToHeal;
    private final int foldsPerPause;
    private final int longestPauseNanos;
    private SimSettings settings;
    private boolean isHandlerMended;
    private boolean areLimitsLifted;
    private boolean hasHealed;

    World(RandomGenerator random, SimDivision division, Wiring wiring, FaultCounts counts) {
        this.random = random;
        this.division = division;
        this.database = new SimDatabase(division.slots(), scheduler::now);
        faults = new FaultPlan(random, counts);
        isToHeal = random.nextBoolean();
        foldsPerPause = random.nextInt(4) == 0 ? 2 : 10;
        isAboutLocks = random.nextInt(10) == 0 && !division.isDivided();
        boolean areFoldsSlow = faults.besetsHandlers() && !isAboutLocks && random.nextBoolean();
        longestPauseNanos = areFoldsSlow ? 60_000_000 : 3_000_000;
        settings = fitting(SimSettings.draw(random));
        if (settings.positions().onGap() == Gap.EARLIEST) {
            losses.acceptGaps();
        }
        create("events", 1 + random.nextInt(5));
        if (random.nextInt(3) == 0) {
            create("orders", 1 + random.nextInt(3));
        }
        topics = new TreeSet<>(log.topics());
        SimGroup.Protocol[] protocols = SimGroup.Protocol.values();
        group = new SimGroup(protocols[random.nextInt(protocols.length)], random);
        processes = new Processes(this, wiring);
        troubles = new Troubles(this);
        operator = new Operator(this);
        versions = new Versions(this);
        formats = Formats.draw(random, faults.besetsHandlers());
        registry = new Registry(this);
        letters = new LetterTopic(this);
        boolean isRowsAlone = isAboutLocks || division.isDivided();
        outputs = new OutputTopics(this, new RowOutputs(this), !isRowsAlone);
        timers = new SimTimers(this, outputs.isOn());
        callers = new Callers(this, !isRowsAlone);
        purging = new Purging(this);
        locks = new RowLocks(this);
        slots = isRowsAlone ? null : SimSlots.of(this, isToHeal);
    }

    private void create(String topic, int partitions) {
        log.create(topic, division.isDivided() ? division.partitions() : partitions);
    }

    /** From the first message to the last row. */
    void run() {
        try {
            live();
        } catch (RuntimeException | Error e) {
            // A violation in a process may be thrown through the frames of another one.
            throwViolation();
            throw e;
        }
    }

    private void live() {
        if (isAboutLocks) {
            faults.calm();
        }
        Producers producers =
                new Producers(log, random, faults, formats, purging.oneTombstoneIn(), this);
        int count = MIN_MESSAGES + MAY_COME_TOO_LATE + random.nextInt(200);
        for (int i = 0; i < count; i++) {
            long at = (long) (TROUBLE_ENDS * random.nextDouble());
            scheduler.after(at, () -> produce(producers));
        }
        LogTroubles logTroubles = new LogTroubles(this, producers);
        logTroubles.past();
        if (isAboutLocks) {
            planLocksAlone();
        } else {
            troubles.plan();
            locks.plan();
            rowFaults.plan();
            logTroubles.plan();
            new Interventions(this).plan();
            versions.plan();
            registry.plan();
            letters.plan();
            outputs.plan();
            timers.plan();
        }
        tellGroup();
        if (slots != null) {
            slots.begin(this::replace);
        }
        int started = 1 + random.nextInt(isAboutLocks ? 2 : 3);
        for (int i = 0; i < started; i++) {
            processes.startWithin(1_000);
        }
        every(500 * MILLIS, () -> group.expire(scheduler.now()));
        every(700 * MILLIS, operator::look);
        scheduler.runUntil(TROUBLE_ENDS, () -> checks.violation() != null);
        throwViolation();
        if (isToHeal) {
            heal();
        }
    }

    /** Twice as many rows as there are workers anywhere, for seconds. */
    private void planLocksAlone() {
        boolean isSlow = random.nextInt(3) == 0; // nobody holds any, and it looks alike
        for (int i = 0; i < 4; i++) {
            scheduler.after(
                    (1_500 + 1_000 * i) * MILLIS,
                    isSlow ? () -> rowFaults.beSlow(500) : () -> locks.holdSeveral(5, 3_000));
        }
        if (!isSlow) {
            checks.locks().begin();
        } else if (topics.size() == 1 || settings.scope() == RowKeys.Scope.TOPIC) {
            checks.locks().noneIsHeld(); // no two processes write the same row
        }
    }

    private void produce(Producers producers) {
        if (!producers.produce(scheduler.now() / MILLIS)) {
            scheduler.after(SENT_AGAIN_AFTER, () -> produce(producers));
        }
    }

    private long healing() {
        return HEALING + books.nanosOfDeaths() + (outputs.isOn() ? WAITING_FOR_ROOM : 0);
    }

    /**
     * For as long as all need at most to heal. Time in which nothing could run does not count,
     * within limits: processes that rebalance at the same time block each other here.
     */
    private void waitUntil(BooleanSupplier isDone) {
        long begun = scheduler.now();
        long inOrder = scheduler.inOrder();
        long left = healing();
        while (left > 0 && scheduler.now() - begun < LONGEST_BLOCKED * healing()) {
            scheduler.runUntil(
                    scheduler.now() + left,
                    () -> checks.violation() != null || isDone.getAsBoolean());
            throwViolation();
            left = isDone.getAsBoolean() ? 0 : healing() - (scheduler.inOrder() - inOrder);
        }
    }

    private void heal() {
        faults.end();
        group.settle();
        log.all().forEach(SimPartition::mend);
        versions.forward();
        registry.mend();
        outputs.mend();
        if (division.isAligned(settings)
                && database.places() > 1
                && isKnownWhereSlotsAre()
                && !hasGrown()) {
            goOnWithoutAPlace();
        }
        // Not from TROUBLE_ENDS on: whoever was blocked then may have come back much later.
        long begun = scheduler.now();
        every(LOOK_EVERY, () -> lookIfDone(begun));
        waitUntil(() -> hasHealed);
        if (!hasHealed) {
            throw new Violation(
                    "stall",
                    "not caught up: "
                            + processes
                            + ", parked "
                            + database.parked()
                            + ", to be put out "
                            + database.outbox()
                            + ", to be sent "
                            + database.outputs()
                            + ", timers "
                            + database.timers()
                            + ", callers "
                            + callers
                            + ", sources "
                            + database.sources());
        }
    }

    /**
     * A place is away for long, not that of the first slot. What is elsewhere gets to its end: each
     * partition has keys of one slot.
     */
    private void goOnWithoutAPlace() {
        int home = database.division().placeOf(0);
        int away = (home + 1 + random.nextInt(database.places() - 1)) % database.places();
        faults.landed(Fault.WITHOUT_A_PLACE);
        troubles.leave(away, Long.MAX_VALUE);
        boolean[] isDone = new boolean[1];
        every(LOOK_EVERY, () -> isDone[0] |= isDoneWithout(away));
        waitUntil(() -> isDone[0]);
        if (!isDone[0]) {
            throw new Violation("held-up", "place " + away + " is away, and " + processes);
        }
        troubles.leave(away, 0);
    }

    /** Who has not seen a move waits for the place where the slot was, and that may be away. */
    private boolean isKnownWhereSlotsAre() {
        return !database.isAnyMoving()
                && processes.alive().stream()
                        .allMatch(it -> it.division().equals(database.division()));
    }

    private boolean hasGrown() {
        return topics.stream().anyMatch(it -> log.of(it).size() > division.partitions());
    }

    private boolean isDoneWithout(int away) {
        return log.all().stream()
                .filter(it -> placeOf(it.name()) != away)
                .allMatch(it -> checks.progress().isCaughtUp(it) || isGivenUp(it));
    }

    /** Where what can't have a row is of a partition; where that is aligned, all of it. */
    private int placeOf(TopicPartition partition) {
        return database.division().placeOf(division.slotOf(null, partition));
    }

    /** Looks at all at that very moment: a timer may fire behind it. */
    private void lookIfDone(long begun) {
        if (!hasHealed && isDone()) {
            hasHealed = true;
            faults.counts().healed(scheduler.now() - begun);
            log.all().stream()
                    .filter(checks.progress()::isCaughtUp)
                    .forEach(checks.progress()::atTheEnd);
            checks.outputs().atTheEnd();
            checks.timers().atTheEnd();
        }
    }

    private void throwViolation() {
        Violation violation = checks.violation();
        if (violation != null) {
            throw violation;
        }
    }

    private boolean isDone() {
        return operator.isContent()
                && database.outbox().isEmpty()
                && database.outputs().isEmpty()
                && !checks.timers().isAnyDue()
                && callers.areContent()
                && log.all().stream()
                        .allMatch(it -> checks.progress().isCaughtUp(it) || isGivenUp(it));
    }

    /** Whether it can't go on for a reason that nobody has a command for. */
    private boolean isGivenUp(SimPartition partition) {
        return processes.alive().stream()
                .anyMatch(
                        process ->
                                process.stopped().stream()
                                                .anyMatch(it -> holds(it, process, partition))
                                        || process.partitions().stream()
                                                .anyMatch(it -> waits(it, partition)));
    }

    /** A key that is stopped holds its messages of other partitions, too. */
    private static boolean holds(
            PartitionStatus stopped, SimInstance process, SimPartition partition) {
        String reason = stopped.pausedBecause();
        boolean isOfTheKey = reason.contains(Operator.REWRITTEN) && process.owns(partition.name());
        return isOfTheKey
                || (stopped.partition().equals(partition.name()) && Operator.isBeyondHelp(reason));
    }

    /** What was added waits for older partitions, for ever if one of them is given up. */
    private boolean waits(PartitionStatus status, SimPartition partition) {
        String reason = status.pausedBecause();
        return status.partition().equals(partition.name())
                && reason.contains(" held until ")
                && log.of(partition.name().topic()).stream()
                        .filter(it -> reason.matches(".*[{ ]" + it.name() + "=.*"))
                        .anyMatch(this::isGivenUp);
    }

    /** The group learns what partitions there are now. */
    void tellGroup() {
        group.learn(log.all().stream().map(SimPartition::name).toList());
    }

    /** Whether the database has a source of each topic as it is now. */
    boolean isEveryTopicKnown() {
        return topics.stream()
                .allMatch(
                        topic ->
                                database.sources().stream()
                                        .anyMatch(it -> it.partition().topic().equals(topic)));
    }

    boolean isPresent(TopicPartition partition) {
        return log.find(partition) != null;
    }

    void mend(TopicPartition partition) {
        Objects.requireNonNull(log.find(partition)).mend();
    }

    Versions versions() {
        return versions;
    }

    Formats formats() {
        return formats;
    }

    SimBooks books() {
        return books;
    }

    Registry registry() {
        return registry;
    }

    Operator operator() {
        return operator;
    }

    /** From now on the handler can do what it could not. */
    void mendHandler() {
        isHandlerMended = true;
    }

    boolean isHandlerMended() {
        return isHandlerMended || faults.areOver();
    }

    /** Whoever starts from now on sets aside as much as there is. */
    void liftLimits() {
        areLimitsLifted = true;
    }

    boolean areLimitsLifted() {
        return areLimitsLifted;
    }

    /** Whether that has been done, and not only the faults are over. */
    boolean isHandlerReplaced() {
        return isHandlerMended;
    }

    /** The configuration that whoever starts from now on finds. */
    void change(SimSettings next) {
        settings = fitting(next);
    }

    /** Without what rows that are divided can't have yet. */
    private SimSettings fitting(SimSettings drawn) {
        return division.isDivided() && drawn.onFailure() == FailurePolicy.Last.DEAD_LETTER
                ? drawn.with(FailurePolicy.Last.PARK)
                : drawn;
    }

    SimSettings settings() {
        return settings;
    }

    /** One fold in so many takes a moment. */
    int foldsPerPause() {
        return foldsPerPause;
    }

    /** How long that may be: well within a turn, or nearly as long. */
    int longestPauseNanos() {
        return longestPauseNanos;
    }

    /** What the application is subscribed to. */
    Set<String> topics() {
        return topics;
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public Scheduler scheduler() {
        return scheduler;
    }

    @Override
    public FaultPlan faults() {
        return faults;
    }

    Troubles troubles() {
        return troubles;
    }

    /** Where dead letters go. */
    LetterTopic letters() {
        return letters;
    }

    /** Where outputs go. */
    OutputTopics outputs() {
        return outputs;
    }

    /** What fires when it is due. */
    SimTimers timers() {
        return timers;
    }

    /** Who reads what was put. */
    Callers callers() {
        return callers;
    }

    /** What becomes of the rows of deleted keys. */
    Purging purging() {
        return purging;
    }

    /** What sessions outside hold. */
    RowLocks locks() {
        return locks;
    }

    /** Who reads what, where no group says so; null where one does. */
    private void replace(SimProcess process) {
        faults.landed(Fault.ROLLED);
        process.kill();
        processes.startWithin(1_000);
    }

    @Nullable SimSlots slots() {
        return slots;
    }

    /** Statements that are not carried out. */
    RowFaults rowFaults() {
        return rowFaults;
    }

    /** Transactions that nobody waits for any more. */
    InFlight inFlight() {
        return inFlight;
    }

    Processes processes() {
        return processes;
    }

    @Override
    public SimLog log() {
        return log;
    }

    @Override
    public SimGroup group() {
        return group;
    }

    SimDatabase database() {
        return database;
    }

    /** How its rows are divided. */
    SimDivision division() {
        return division;
    }

    Losses losses() {
        return losses;
    }

    Doubts doubts() {
        return doubts;
    }

    Checks checks() {
        return checks;
    }

    List<String> describe() {
        return List.of(
                isToHeal ? "liveness" : "safety",
                slots == null ? group.protocol().toString() : "slots",
                division.toString(),
                settings.toString(),
                log.all().stream().map(it -> it.name().toString()).toList().toString());
    }
}
