package dev.envelope.integration.simulation;

import dev.envelope.core.Engine;
import dev.envelope.core.api.Environment;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.mailbox.FoldWatch;
import dev.envelope.core.mailbox.KeyGate;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.Turn;
import dev.envelope.idempotency.IdempotentHandler;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.fold.EffectLimits;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.DeadLetterHeaders;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.outbox.Relay;
import dev.envelope.idempotency.output.OutputRelay;
import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.redrive.RequestDesk;
import dev.envelope.idempotency.store.DeletedKeys;
import dev.envelope.idempotency.store.InMemoryRowReads;
import dev.envelope.idempotency.store.InMemoryTimerStore;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.timer.SavedEffects;
import dev.envelope.idempotency.timer.Timers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.common.TopicPartition;

/**
 * One process: the production classes, wired to the world. Its poll thread and its workers are
 * events; it can be killed, frozen, kept from polling, and closed.
 *
 * <p>Threads: one thread.
 */
final class SimInstance {

    /** Each turn calls two workers: one that is repeated without end soon calls very many. */
    private static final int MOST_EVENTS = 100_000;

    private static final long REQUESTS_NANOS = 300_000_000;
    private static final long RELAY_NANOS = 500_000_000;
    private static final long OUTPUTS_NANOS = 250_000_000;
    private static final long PURGE_NANOS = 400_000_000;
    private static final long TIMERS_NANOS = 50_000_000;
    private static final long TOPICS_NANOS = 1_000_000_000;
    private static final Duration LAST_OUTPUTS = Duration.ofSeconds(2);

    private final String name;
    private final World world;
    private final HandlerVersion version;
    private final Tuning tuning;
    private final SimConsumer consumer;
    private final PollLoop loop;
    private final Engine engine;
    private final SimLoops loops;
    private final SimReads reads;
    private final FoldWatch deskWatch;
    private final EnvelopeHandler idempotent;
    private final SnapshotCache<Trace> cache;
    private long evictions;
    private long interrupts;
    private long lastBeat;
    private int busy;
    private int underWay;
    private boolean isPolling;
    private boolean isOnPollThread; // what goes on innermost, as is the next
    private boolean isRedriving;
    private boolean isDead;
    private boolean isDying;
    private boolean isClosing;
    private boolean isUnparked;
    private boolean hasClosedConsumer; // and with it the workers
    private long frozenUntil;
    private long clockAhead;
    private long pollsNotBefore;

    SimInstance(String name, World world, Wiring wiring) {
        this.name = name;
        this.world = world;
        RandomGenerator random = world.random();
        version = world.versions().next();
        tuning = Tuning.draw(world);
        Environment environment =
                new Environment(
                        world.scheduler()::now,
                        (delay, task) -> later(delay.toNanos(), task),
                        task -> later(10_000L + random.nextInt(500_000), task),
                        task -> later(10_000L + random.nextInt(500_000), task),
                        new SimParker(),
                        random);
        SimStore store = new SimStore(this, world);
        SimSettings settings = world.settings();
        EnvelopeFold<Trace, String> fold =
                new EnvelopeFold<>(
                        handler(wiring.fold(new TraceFold(this, world))),
                        wiring.codec(version.codec()),
                        wiring.values(world.formats().values(this, world)),
                        settings.ids(),
                        IdLimits.ofCount(1_000),
                        1 << 20,
                        new PuttingOut(
                                settings.onFailure() == FailurePolicy.Last.DEAD_LETTER
                                        ? new DeadLetters(
                                                "letters", "app", DeadLetterHeaders.STREAMS)
                                        : null,
                                null,
                                EffectLimits.DEFAULT,
                                world.timers().isOn()));
        SimParkedStore parked = new SimParkedStore(store, world, this);
        OutputRoom outputRoom =
                wiring.outputRoom(new OutputRoom(world.outputs().limits(), () -> {}));
        OutputRelay outputs =
                new OutputRelay(
                        wiring.outputs(new SimOutputStore(store, this, world)),
                        wiring.sender(new SimOutputSender(this, world)),
                        outputRoom,
                        "app",
                        () -> world.scheduler().now() * OutputTopics.SHORTER,
                        random);
        Timers timers =
                new Timers(
                        new SimTimerStore(
                                store,
                                world,
                                wiring.timers(
                                        new InMemoryTimerStore(
                                                world.database(), store.outputs()::numberIn),
                                        world.database())),
                        this::partitionNames,
                        outputRoom,
                        world.timers().perSecond(),
                        world.scheduler()::now,
                        () -> Instant.EPOCH.plusNanos(world.scheduler().now() + clockAhead));
        SavedEffects effects = new SavedEffects(outputRoom, timers::set);
        RequestDesk<Trace> desk =
                new RequestDesk<>(
                        fold,
                        store,
                        wiring.parked(parked),
                        parked,
                        effects,
                        tuning.hasNoHandlerTimeout()
                                ? Duration.ZERO
                                : tuning.turns().handlerTimeout(),
                        world.scheduler()::now);
        OutboxRoom room = new OutboxRoom(world.letters().limits());
        Relay relay = SimDelivery.relay(this, world, store, room, wiring);
        deskWatch = new FoldWatch(tuning.turns().handlerTimeout());
        Telemetry telemetry = new CountingTelemetry(this, world);
        cache =
                new SnapshotCache<>(
                        tuning.cacheBytes(),
                        world.purging().retention().dividedBy(2),
                        world.scheduler()::now);
        idempotent =
                wiring.handler(
                        new IdempotentHandler<>(
                                fold,
                                wiring.states(store),
                                cache,
                                telemetry,
                                wiring.bounds(
                                        new IdempotentHandler.Bounds(
                                                wiring.room(room),
                                                world.books().crashes(this, store),
                                                new SetAsideLimits(
                                                        tuning.setAside(),
                                                        world.books().stops(store),
                                                        message -> {}),
                                                effects,
                                                parked::replacements)),
                                task -> later(world.locks().untilOneIsFree(), task)));
        EnvelopeHandler handler =
                turn -> {
                    world.checks().engine().turnBegins(this, turn, tuning.turns());
                    world.checks().outbox().turnBegins(this, turn);
                    world.checks().outputs().turnBegins(this, turn);
                    Turn watched =
                            world.checks()
                                    .versions()
                                    .watched(this, turn, tuning.failures().patience());
                    world.purging().handle(this, watched, idempotent);
                };
        consumer = new SimConsumer(this, world);
        engine =
                new Engine(
                        wiring.settings(tuning.settings(this, world)),
                        new Engine.Surroundings(
                                consumer.asConsumer(),
                                wiring.admin(new SimAdmin(this, world)),
                                wiring.checkpoints(store),
                                handler,
                                environment,
                                telemetry,
                                fault -> {
                                    throw new IllegalStateException(fault);
                                },
                                all ->
                                        wiring.readyShards(
                                                shard -> {
                                                    all.ready(shard);
                                                    callWorker();
                                                })));
        loop = engine.loop();
        lastBeat = loop.status().beatNanos();
        reads =
                new SimReads(
                        store,
                        world,
                        new SimAdmin(this, world),
                        wiring.reads(new InMemoryRowReads(world.database()), world.database()),
                        (task, nanos) -> later(nanos, task));
        loops = new SimLoops((task, nanos) -> later(nanos, task), this::end);
        later(0, this::poll);
        later(Tuning.TURN_TIME.toNanos() / 2, this::watch);
        loops.start(
                REQUESTS_NANOS,
                () -> {
                    isRedriving = true;
                    return desk.turn(deskWatch);
                });
        loops.start(RELAY_NANOS, relay::turn, relay::leave);
        if (world.outputs().isOn()) {
            loops.start(OUTPUTS_NANOS, outputs::turn, () -> leave(outputs));
        }
        if (world.timers().isOn()) {
            loops.start(TIMERS_NANOS, timers::turn);
        }
        if (world.callers().isOn()) {
            later(0, reads::look);
            loops.start(TOPICS_NANOS, reads::look);
        }
        if (world.purging().isOn()) {
            DeletedKeys deleted = new SimDeletedKeys(store, world, wiring);
            loops.start(PURGE_NANOS, () -> SimDeletedKeys.turn(deleted));
        }
    }

    private static void leave(OutputRelay relay) {
        relay.drain(LAST_OUTPUTS);
        relay.leave();
    }

    private UserFold<Trace, String> handler(Fold<Trace, String> fold) {
        return world.outputs().isOn()
                ? UserFold.emitting(new EmittingFold(fold, world.timers().isOn()))
                : UserFold.of(fold);
    }

    private void later(long nanos, Runnable task) {
        world.scheduler().after(nanos, () -> guarded(task));
    }

    /** Runs something of this process, if it still lives, and lets it die in it. */
    private void guarded(Runnable task) {
        if (isDead) {
            return;
        }
        long now = world.scheduler().now();
        if (now < frozenUntil) {
            world.scheduler().after(frozenUntil - now, () -> guarded(task));
            return;
        }
        underWay++;
        boolean wasOnPollThread = isOnPollThread;
        boolean wasRedriving = isRedriving;
        isOnPollThread = false;
        isRedriving = false;
        try {
            task.run();
        } catch (ProcessKilled e) {
            end();
        } catch (OutOfMemoryError e) {
            dieOfIt();
        } finally {
            underWay--;
            isOnPollThread = wasOnPollThread;
            isRedriving = wasRedriving;
        }
    }

    /** Writes down what it was at, if it can, and once. */
    private void dieOfIt() {
        if (isDead || isDying) {
            return;
        }
        isDying = true;
        try {
            idempotent.dying(engine.pool().running().underWay());
        } catch (UnavailableException | ProcessKilled e) {
            // Nobody will know.
        } finally {
            if (!isDead) {
                world.processes().kill(this);
            }
        }
    }

    private void end() {
        isDead = true;
        world.books().ended(this);
    }

    private void poll() {
        long now = world.scheduler().now();
        if (isPolling || now < pollsNotBefore) {
            later(Math.max(pollsNotBefore - now, 1_000_000), this::poll);
            return;
        }
        isPolling = true;
        isOnPollThread = true;
        boolean goesOn = loop.turn();
        isOnPollThread = false;
        isPolling = false;
        EngineStatus status = loop.status();
        if (status.beatNanos() != lastBeat) {
            lastBeat = status.beatNanos();
            world.checks().engine().turned(this, status, tuning.loop(), consumer.fetcher());
        }
        if (goesOn) {
            later(500_000L + world.random().nextInt(20_000_000), this::poll);
        } else {
            consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
            hasClosedConsumer = true;
            loops.close();
        }
    }

    private void callWorker() {
        if (world.scheduler().waiting() > MOST_EVENTS) {
            world.checks().fail("spin", name + " takes turn after turn and gets nothing done");
        }
        if (busy < allowed()) {
            later(5_000L + world.random().nextInt(300_000), this::work);
        }
    }

    /** One for each that is stuck, up to as many again. */
    private int allowed() {
        int wanted = engine.pool().size();
        return wanted + Math.min(engine.pool().stuck(), wanted);
    }

    private void work() {
        if (hasClosedConsumer || busy >= allowed()) {
            return;
        }
        busy++;
        boolean didSomething;
        try {
            didSomething = engine.pool().turn();
        } finally {
            busy--;
        }
        if (didSomething) {
            callWorker();
        }
    }

    private void watch() {
        engine.pool().watch();
        if (cache.evictions() > evictions) {
            evictions = cache.evictions();
            world.faults().landed(Fault.EVICTED);
        }
        var unused = deskWatch.look(world.scheduler().now());
        interrupts += Thread.interrupted() ? 1 : 0; // of the one thread, whomever it was meant for
        later(Tuning.TURN_TIME.toNanos() / 2, this::watch);
    }

    /** Where the process dies or stands still, if it is to: whatever blocks goes through here. */
    void gate() {
        standStill();
        if (isDead) {
            throw new ProcessKilled();
        }
    }

    /** Waits until the process is no longer frozen, or is killed. */
    void standStill() {
        if (!isDead && world.scheduler().now() < frozenUntil) {
            world.scheduler().runUntil(frozenUntil, () -> isDead);
        }
    }

    void kill() {
        end();
    }

    void freeze(long nanos) {
        frozenUntil = world.scheduler().now() + nanos;
    }

    /** What callers may ask of it. */
    SimReads reads() {
        return reads;
    }

    /** Which keys an operator holds back. */
    KeyGate keys() {
        return engine.keys();
    }

    void resize(int workers) {
        engine.pool().resize(workers);
    }

    void jumpClock(long nanos) {
        clockAhead += nanos;
    }

    void stopPolling(long nanos) {
        pollsNotBefore = world.scheduler().now() + nanos;
    }

    /** False if it is about to end already. */
    boolean close() {
        boolean isFirst = !isClosing && !isDead;
        isClosing = true;
        loop.close(Duration.ofSeconds(5));
        return isFirst;
    }

    boolean isDead() {
        return isDead;
    }

    /** Whether what asks is done for a request of an operator. */
    boolean isRedriving() {
        return isRedriving;
    }

    /** Whether what asks is done by the thread that polls, which must not wait for others. */
    boolean isOnPollThread() {
        return isOnPollThread;
    }

    String name() {
        return name;
    }

    HandlerVersion version() {
        return version;
    }

    Tuning tuning() {
        return tuning;
    }

    /** How often one of its folds was interrupted. */
    long interrupts() {
        return interrupts;
    }

    boolean owns(TopicPartition partition) {
        return consumer.owns(partition);
    }

    /** The partitions of it that do not go on without a person, and what they say. */
    List<PartitionStatus> stopped() {
        return partitions().stream().filter(PartitionStatus::stopped).toList();
    }

    private Set<TopicPartition> partitionNames() {
        return partitions().stream().map(PartitionStatus::partition).collect(Collectors.toSet());
    }

    /** How all partitions of it stand. */
    List<PartitionStatus> partitions() {
        return isDead ? List.of() : loop.status().partitions();
    }

    /** Whether it has anything in its hands that may reach the database yet. */
    boolean isAtWork() {
        return !isDead || underWay > 0;
    }

    @Override
    public String toString() {
        return name + loop.status().partitions();
    }

    /** The poll thread waits in a callback: others go on until something is posted to it. */
    private final class SimParker implements Environment.Parker {

        @Override
        public void park(long nanos) {
            gate();
            isUnparked = false;
            world.scheduler().runUntil(world.scheduler().now() + nanos, () -> isUnparked);
            gate();
        }

        @Override
        public void unpark() {
            isUnparked = true;
        }
    }
}
