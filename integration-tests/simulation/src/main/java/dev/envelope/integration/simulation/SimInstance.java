package dev.envelope.integration.simulation;

import dev.envelope.core.Engine;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.key.Division;
import dev.envelope.core.mailbox.FoldWatch;
import dev.envelope.core.mailbox.KeyGate;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.Turn;
import dev.envelope.idempotency.DividedHandler;
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
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.store.DeletedKeys;
import dev.envelope.idempotency.store.InMemoryRowReads;
import dev.envelope.idempotency.store.InMemoryTimerStore;
import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.place.DividedStore;
import dev.envelope.idempotency.store.place.Place;
import dev.envelope.idempotency.timer.SavedEffects;
import dev.envelope.idempotency.timer.Timers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One process with rows: the production classes, wired to the world.
 *
 * <p>Threads: one thread.
 */
final class SimInstance extends SimProcess {

    private static final long REQUESTS_NANOS = 300_000_000;
    private static final long MOVES_NANOS = 1_000_000_000;
    private static final long RELAY_NANOS = 500_000_000;
    private static final long SLOTS_NANOS = 100_000_000;
    private static final long OUTPUTS_NANOS = 250_000_000;
    private static final long PURGE_NANOS = 400_000_000;
    private static final long TIMERS_NANOS = 50_000_000;
    private static final long TOPICS_NANOS = 1_000_000_000;
    private static final Duration LAST_OUTPUTS = Duration.ofSeconds(2);

    private final World world;
    private final Division division; // as it was when it started
    private final HandlerVersion version;
    private final Tuning tuning;
    private final SimConsumer consumer;
    private final Engine engine;
    private final SimLoops loops;
    private final SimReads reads;
    private final List<FoldWatch> deskWatches = new ArrayList<>(); // of the places
    private final EnvelopeHandler idempotent;
    private final SnapshotCache<Trace> cache;
    private long evictions;
    private boolean isDying;
    private long clockAhead;

    SimInstance(String name, World world, Wiring wiring) {
        super(name, world);
        this.world = world;
        RandomGenerator random = world.random();
        version = world.versions().next();
        tuning = Tuning.draw(world);
        division = world.database().division();
        List<SlotStore> slots = new ArrayList<>();
        for (int slot = 0; slot < division.slots(); slot++) {
            slots.add(SlotStore.of(this, world, wiring, slot));
        }
        DividedStore stores = stores(slots, wiring);
        stores.moves().whenElsewhere(why -> world.processes().restart(this));
        stores.moves().left(world.troubles().awayAtStart(division));
        SimStore store = slots.get(0).network();
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
        OutputRoom outputRoom =
                wiring.outputRoom(new OutputRoom(world.outputs().limits(), () -> {}));
        OutputRelay outputs =
                new OutputRelay(
                        wiring.outputs(
                                new SimOutputStore(
                                        store.network(),
                                        store.outputs(),
                                        this,
                                        world,
                                        world.outputs().watch())),
                        wiring.sender(new SimOutputSender(this, world, world.outputs())),
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
                                                store.database(), store.outputs()::numberIn),
                                        store.database())),
                        this::partitionNames,
                        outputRoom,
                        world.timers().perSecond(),
                        world.scheduler()::now,
                        () -> Instant.EPOCH.plusNanos(world.scheduler().now() + clockAhead));
        SavedEffects effects = new SavedEffects(outputRoom, timers::set, command -> {});
        List<RequestDesk<Trace>> desks =
                slots.stream()
                        .map(
                                slot ->
                                        new RequestDesk<>(
                                                fold,
                                                slot.network(),
                                                wiring.parked(slot.parked()),
                                                slot.requests(),
                                                effects,
                                                tuning.hasNoHandlerTimeout()
                                                        ? Duration.ZERO
                                                        : tuning.turns().handlerTimeout(),
                                                world.scheduler()::now))
                        .toList();
        OutboxRoom room = new OutboxRoom(world.letters().limits());
        Relay relay = SimDelivery.relay(this, world, store, room, wiring);
        Telemetry telemetry = new CountingTelemetry(this, world);
        cache =
                new SnapshotCache<>(
                        tuning.cacheBytes(),
                        world.purging().retention().dividedBy(2),
                        world.scheduler()::now);
        List<IdempotentHandler<Trace>> handlers =
                stores.shelves().stream()
                        .map(
                                shelf ->
                                        new IdempotentHandler<>(
                                                fold,
                                                shelf.states(),
                                                cache,
                                                telemetry,
                                                wiring.bounds(
                                                        new IdempotentHandler.Bounds(
                                                                wiring.room(room),
                                                                shelf.crashes(),
                                                                new SetAsideLimits(
                                                                        tuning.setAside(),
                                                                        shelf.stops(),
                                                                        message -> {}),
                                                                effects,
                                                                shelf::replacements,
                                                                shelf.admission())),
                                                task ->
                                                        later(
                                                                world.locks().untilOneIsFree(),
                                                                task)))
                        .toList();
        idempotent = wiring.handler(DividedHandler.of(division, handlers));
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
        consumer = new SimConsumer(this, world, world.checks().ofClient(this));
        @Nullable SimSlots owned = world.slots();
        @Nullable SlotLocks locks = owned == null ? null : owned.locks(this, it -> it);
        engine =
                new Engine(
                        wiring.settings(tuning.settings(this, world)),
                        new Engine.Surroundings(
                                consumer.asConsumer(),
                                wiring.admin(new SimAdmin(this, world)),
                                stores.checkpoints(),
                                handler,
                                environment(),
                                telemetry,
                                fault -> {
                                    throw new IllegalStateException(fault);
                                },
                                all -> wiring.readyShards(called(all)),
                                owned == null || locks == null
                                        ? null
                                        : owned.watched(this, wiring.slots(locks))));
        reads =
                new SimReads(
                        store,
                        world,
                        new SimAdmin(this, world),
                        wiring.reads(new InMemoryRowReads(store.database()), store.database()),
                        (task, nanos) -> later(nanos, task));
        loops = new SimLoops((task, nanos) -> later(nanos, task), this::end);
        begin();
        for (int place = 0; place < division.places(); place++) {
            FoldWatch watch = new FoldWatch(tuning.turns().handlerTimeout());
            deskWatches.add(watch);
            List<BooleanSupplier> its =
                    division.slotsAt(place).stream()
                            .<BooleanSupplier>map(
                                    slot ->
                                            () ->
                                                    stores.moves()
                                                            .passOf(slot)
                                                            .turn(
                                                                    () ->
                                                                            desks.get(slot)
                                                                                    .turn(watch)))
                            .toList();
            loops.start(REQUESTS_NANOS, () -> carryOut(its));
        }
        if (!world.division().isDivided()) {
            loops.start(RELAY_NANOS, relay::turn, relay::leave);
        }
        for (int place = 0; place < stores.moves().places(); place++) {
            int its = place;
            loops.start(
                    MOVES_NANOS,
                    () -> {
                        stores.moves().look(its);
                        return false;
                    });
        }
        if (locks != null) {
            loops.start(SLOTS_NANOS, locks::turn, locks::close);
        }
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
            for (SlotStore slot : slots) {
                DeletedKeys deleted = new SimDeletedKeys(slot.network(), world, wiring);
                loops.start(PURGE_NANOS, () -> SimDeletedKeys.turn(deleted));
            }
        }
    }

    /** All slots as one, as production has them. */
    private DividedStore stores(List<SlotStore> slots, Wiring wiring) {
        if (!world.division().isDivided()) {
            return DividedStore.of(slots.get(0));
        }
        List<Place> places = new ArrayList<>();
        for (int place = 0; place < division.places(); place++) {
            List<Integer> numbers = division.slotsAt(place);
            SortedMap<Integer, Store> its = new TreeMap<>();
            numbers.forEach(slot -> its.put(slot, slots.get(slot)));
            SimStore all = new SimStore(this, world, numbers, wiring.movesHide());
            places.add(new Place("place-" + place, wiring.states(all), its, all::away));
        }
        return new DividedStore(division, places, world.scheduler()::now);
    }

    /** One pass over the requests of a place. */
    private boolean carryOut(List<BooleanSupplier> desks) {
        boolean more = false;
        for (BooleanSupplier desk : desks) {
            redrives();
            more |= desk.getAsBoolean();
        }
        return more;
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

    @Override
    Engine engine() {
        return engine;
    }

    @Override
    Consumer<?, ?> client() {
        return consumer.asConsumer();
    }

    boolean owns(TopicPartition partition) {
        return consumer.owns(partition);
    }

    @Override
    void failed(String anomaly, String seen) {
        world.checks().fail(anomaly, seen);
    }

    /** Writes down what it was at, if it can, and once. */
    @Override
    void ranOutOfMemory() {
        if (isDead() || isDying) {
            return;
        }
        isDying = true;
        try {
            idempotent.dying(engine.pool().running().underWay());
        } catch (UnavailableException | ProcessKilled e) {
            // Nobody will know.
        } finally {
            if (!isDead()) {
                world.processes().kill(this);
            }
        }
    }

    @Override
    void ended() {
        world.books().ended(this);
        @Nullable SimSlots slots = world.slots();
        if (slots != null) {
            slots.ended(this);
        }
    }

    @Override
    void turned(EngineStatus status) {
        world.checks().engine().turned(this, status, tuning.loop(), consumer.fetcher());
    }

    @Override
    void looked() {
        if (cache.evictions() > evictions) {
            evictions = cache.evictions();
            world.faults().landed(Fault.EVICTED);
        }
        for (FoldWatch watch : deskWatches) {
            var unused = watch.look(world.scheduler().now());
        }
    }

    @Override
    void left() {
        loops.close();
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

    /** Where the slots were when it started. */
    Division division() {
        return division;
    }

    HandlerVersion version() {
        return version;
    }

    Tuning tuning() {
        return tuning;
    }

    /** The partitions of it that do not go on without a person, and what they say. */
    List<PartitionStatus> stopped() {
        return partitions().stream().filter(PartitionStatus::stopped).toList();
    }

    private Set<TopicPartition> partitionNames() {
        return partitions().stream().map(PartitionStatus::partition).collect(Collectors.toSet());
    }
}
