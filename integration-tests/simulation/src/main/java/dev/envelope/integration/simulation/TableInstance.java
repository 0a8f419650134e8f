package dev.envelope.integration.simulation;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.Engine;
import dev.envelope.core.WorkerThreads;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.FailurePolicy.Patience;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.key.Division;
import dev.envelope.core.key.KeyFormats;
import dev.envelope.core.key.NullKeys;
import dev.envelope.core.key.Ordering;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.mailbox.TurnLimits;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.position.PositionPolicy;
import dev.envelope.core.position.StartFrom;
import dev.envelope.idempotency.IdempotentHandler;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.Effects;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.output.OutputRelay;
import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.InMemoryCheckpoints;
import dev.envelope.idempotency.store.InMemoryOutputStore;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.table.TableRow;
import dev.envelope.idempotency.store.table.TableStore;
import dev.envelope.idempotency.table.TableSource;
import dev.envelope.idempotency.timer.SavedEffects;
import dev.envelope.integration.simulation.EmittingFold.Emission;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One process that reads the table of its world. A state is the ids of the rows that were applied,
 * in order.
 *
 * <p>Threads: one thread.
 */
final class TableInstance extends SimProcess {

    private static final long READ_NANOS = 5_000_000;
    private static final long OUTPUTS_NANOS = 250_000_000;
    private static final Duration LAST_OUTPUTS = Duration.ofSeconds(2);
    private static final long SLOTS_NANOS = 100_000_000;

    private final TableWorld world;
    private final TableSource source;
    private final Engine engine;
    private final SimLoops loops;

    TableInstance(String name, TableWorld world, TableWiring wiring) {
        super(name, world);
        this.world = world;
        SimNetwork network = new SimNetwork(this, world, world::isStoreDown);
        InMemoryOutputStore saved = new InMemoryOutputStore(world.database());
        StateStore states =
                wiring.states(
                        new InMemoryStateStore(world.database(), saved::numberIn),
                        world.database().table());
        TableStore table = wiring.table(world.database().table());
        SlotLocks locks = world.slots().locks(this, wiring::slotSessions);
        source =
                new TableSource(
                        network.reach(TableStore.class, table, "settings", "await", "close"),
                        world.slots().most(),
                        () -> locks.held().count(),
                        environment());
        RandomGenerator random = world.random();
        OutputTopics topics = world.outputs();
        OutputRoom room = new OutputRoom(topics.limits(), () -> {});
        OutputRelay relay =
                new OutputRelay(
                        wiring.outputs(
                                new SimOutputStore(network, saved, this, world, topics.watch())),
                        wiring.sender(new SimOutputSender(this, world, topics)),
                        room,
                        "app",
                        () -> world.scheduler().now() * OutputTopics.SHORTER,
                        random);
        IdempotentHandler<String> handler =
                new IdempotentHandler<>(
                        new EnvelopeFold<>(
                                fold(),
                                new Ids(),
                                (value, message) -> new String(value, StandardCharsets.UTF_8),
                                MessageIds.NONE,
                                IdLimits.ofCount(1),
                                1 << 20,
                                PuttingOut.NOTHING),
                        network.reach(StateStore.class, states),
                        new SnapshotCache<>(random.nextInt(4_000)),
                        Telemetry.NONE,
                        new IdempotentHandler.Bounds(
                                OutboxRoom.endless(),
                                CrashStore.NONE,
                                SetAsideLimits.none(),
                                new SavedEffects(room, timers -> {}, command -> {}),
                                List::of,
                                envelope -> null),
                        null);
        engine =
                new Engine(
                        settings(random),
                        new Engine.Surroundings(
                                source.client(),
                                source.topics(),
                                network.reach(
                                        Checkpoints.class,
                                        new InMemoryCheckpoints(world.database()),
                                        "areCommits"),
                                handler,
                                environment(),
                                Telemetry.NONE,
                                fault -> {
                                    throw new IllegalStateException(fault);
                                },
                                this::called,
                                world.slots().watched(this, locks)));
        loops = new SimLoops((task, nanos) -> later(nanos, task), this::end);
        begin();
        loops.start(READ_NANOS, source::turn);
        loops.start(SLOTS_NANOS, locks::turn, locks::close);
        if (topics.isOn()) {
            loops.start(OUTPUTS_NANOS, relay::turn, () -> leave(relay));
        }
    }

    private static void leave(OutputRelay relay) {
        relay.drain(LAST_OUTPUTS);
        relay.leave();
    }

    private UserFold<String, String> fold() {
        return world.outputs().isOn()
                ? UserFold.emitting(this::applyAndEmit)
                : UserFold.of(this::apply);
    }

    /** Emits before it applies, so the outputs of a row that fails must vanish. */
    private String applyAndEmit(@Nullable String before, @Nullable String value, Effects effects) {
        Message message = effects.message();
        long id = Long.parseLong(Objects.requireNonNull(TableRow.idOf(message)));
        for (Emission it : TableOutputs.emissions(id, message.keyBytes())) {
            effects.emit(it.topic(), it.key(), it.value(), EmittingFold.headers(it));
        }
        return apply(before, value, message);
    }

    private ConsumerSettings settings(RandomGenerator random) {
        int workers = 1 + random.nextInt(3);
        return new ConsumerSettings(
                "app",
                Set.of(world.database().table().settings().source()),
                Map.of(),
                KeyFormats.string(),
                RowKeys.Scope.APPLICATION,
                new NullKeys.Reject(),
                new PositionPolicy(
                        new StartFrom.Earliest(),
                        PositionPolicy.OffsetAhead.STOP,
                        PositionPolicy.Gap.STOP),
                new FailurePolicy(
                        2 + random.nextInt(6),
                        Duration.ofMillis(20),
                        Duration.ofMillis(500),
                        FailurePolicy.Last.PARK,
                        Set.of(),
                        Patience.DEFAULT),
                new TurnLimits(
                        1 + random.nextInt(20),
                        400 + random.nextInt(8_000),
                        1 + random.nextInt(100),
                        400 + random.nextInt(30_000),
                        Tuning.TURN_TIME,
                        Duration.ofDays(1)),
                new PollLoop.Limits(
                        1_000 + random.nextInt(60_000),
                        10 + random.nextInt(300),
                        Duration.ofMillis(20 + random.nextInt(500)),
                        Duration.ofMillis(2_500)),
                workers,
                workers,
                PoolSizing.GAIN,
                WorkerThreads.PLATFORM,
                1 << random.nextInt(4),
                Ordering.KEY,
                world.slots().plan(this),
                Division.NONE);
    }

    private String apply(@Nullable String before, @Nullable String value, Message message) {
        if (world.faults().happens(Fault.FOLD_SLOW)) {
            world.scheduler().block(100_000_000L + world.random().nextInt(1_500_000_000));
            gate();
        }
        if (world.isPoison(value) || world.faults().happens(Fault.FOLD_THROWS)) {
            throw new IllegalStateException("not today");
        }
        String id = TableRow.idOf(message);
        return before == null ? String.valueOf(id) : before + " " + id;
    }

    /** Ids as a string of JSON. */
    private static final class Ids implements StateCodec<String> {

        @Override
        public byte[] encode(String state) {
            return ('"' + state + '"').getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String decode(byte[] json) {
            return new String(json, 1, json.length - 2, StandardCharsets.UTF_8);
        }
    }

    @Override
    Engine engine() {
        return engine;
    }

    @Override
    Consumer<?, ?> client() {
        return source.client();
    }

    @Override
    void failed(String anomaly, String seen) {
        world.fail(anomaly, seen);
    }

    @Override
    void ranOutOfMemory() {
        throw new IllegalStateException("there is enough");
    }

    @Override
    void ended() {
        world.slots().ended(this);
    }

    @Override
    void left() {
        loops.close();
    }
}
