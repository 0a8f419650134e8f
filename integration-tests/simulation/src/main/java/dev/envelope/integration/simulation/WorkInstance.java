package dev.envelope.integration.simulation;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.Engine;
import dev.envelope.core.WorkerThreads;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.FailurePolicy.Patience;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.key.Division;
import dev.envelope.core.key.KeyFormats;
import dev.envelope.core.key.NullKeys;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.mailbox.TurnLimits;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.position.CommitsAlone;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.idempotency.limit.FailingShares;
import dev.envelope.idempotency.store.InMemoryTransaction;
import dev.envelope.idempotency.store.InMemoryWorkStore;
import dev.envelope.idempotency.store.InMemoryWorkStore.RowConnection;
import dev.envelope.idempotency.work.Calls;
import dev.envelope.idempotency.work.PartlyDoneException;
import dev.envelope.idempotency.work.Transactions;
import dev.envelope.idempotency.work.WorkBatch.Item;
import dev.envelope.idempotency.work.WorkHandler;
import dev.envelope.idempotency.work.WorkStore;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One process without rows: what it does is noted in the world's book, and what it has done is
 * known from the group's commits alone, or from marks in the database that it writes to.
 *
 * <p>Threads: one thread.
 */
final class WorkInstance extends SimProcess {

    private static final long FORGETS_NANOS = 200_000_000;

    private final WorkWorld world;
    private final SimConsumer consumer;
    private final Engine engine;
    private final SimLoops loops = new SimLoops((task, nanos) -> later(nanos, task), () -> {});

    /** When those that are under way have begun; who goes on meanwhile ends before. */
    private final Deque<Long> transactionsBegan = new ArrayDeque<>();

    WorkInstance(String name, WorkWorld world, WorkWiring wiring) {
        super(name, world);
        this.world = world;
        consumer = new SimConsumer(this, world, world.book().ofClient(this));
        TopicAdmin admin = wiring.admin(world.book().watched(this, new SimAdmin(this, world)));
        Checkpoints checkpoints = new CommitsAlone(admin);
        Calls<String> calls = Calls.of(batch -> workAll(batch, null), world.atOnce());
        Transactions transactions = Transactions.NONE;
        WorkTables tables = world.tables();
        if (tables != null) {
            SimWorkStore way = new SimWorkStore(this, world, tables);
            WorkStore store =
                    wiring.store(
                            new InMemoryWorkStore(tables.database(), wiring.way(way)),
                            tables.database());
            checkpoints = way.checkpoints();
            calls = Calls.of(this::workAll, world.atOnce());
            transactions = timed(store.transactions());
            loops.start(FORGETS_NANOS, () -> forgets(store));
        }
        WorkHandler<String> handler =
                new WorkHandler<>(
                        calls,
                        (bytes, message) -> new String(bytes, StandardCharsets.UTF_8),
                        wiring.deadLetters(this::setAside),
                        transactions,
                        FailingShares.any(),
                        Telemetry.NONE);
        engine =
                new Engine(
                        wiring.settings(settings()),
                        new Engine.Surroundings(
                                consumer.asConsumer(),
                                admin,
                                checkpoints,
                                wiring.handler(handler),
                                environment(),
                                Telemetry.NONE,
                                fault -> {
                                    throw new IllegalStateException(fault);
                                },
                                this::called,
                                null));
        begin();
    }

    private Transactions timed(Transactions its) {
        return (messages, action) -> {
            transactionsBegan.push(world.scheduler().now());
            try {
                return its.once(messages, action);
            } finally {
                transactionsBegan.pop();
            }
        };
    }

    private ConsumerSettings settings() {
        RandomGenerator random = world.random();
        int workers = 1 + random.nextInt(3);
        boolean hasTimeout = random.nextInt(3) == 0;
        return new ConsumerSettings(
                "app",
                Set.of(WorkWorld.TOPIC),
                Map.of(
                        ConsumerConfig.GROUP_PROTOCOL_CONFIG,
                        world.group().protocol().ofTheClient().name),
                KeyFormats.string(),
                RowKeys.Scope.TOPIC,
                new NullKeys.Reject(),
                world.positions(),
                new FailurePolicy(
                        1 + random.nextInt(4),
                        Duration.ofMillis(20),
                        Duration.ofMillis(500),
                        world.last(),
                        Set.of(),
                        Patience.DEFAULT),
                new TurnLimits(
                        1 + random.nextInt(20),
                        400 + random.nextInt(8_000),
                        1 + random.nextInt(100),
                        400 + random.nextInt(30_000),
                        Tuning.TURN_TIME,
                        hasTimeout ? Duration.ofMillis(1_500) : Duration.ofDays(1)),
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
                world.ordering(),
                null,
                Division.NONE);
    }

    private static boolean forgets(WorkStore store) {
        try {
            return store.forgetSome();
        } catch (UnavailableException e) {
            return false; // the next time
        }
    }

    /** Some of those who fail say at which message. */
    private void workAll(List<Item<String>> batch, @Nullable Connection connection)
            throws SQLException {
        for (int at = 0; at < batch.size(); at++) {
            try {
                work(batch.get(at), at > 0, connection);
            } catch (IllegalStateException | UnavailableException e) {
                if (at > 0 && world.random().nextBoolean()) {
                    throw new PartlyDoneException(at, e);
                }
                throw e;
            }
        }
    }

    /** What is done with a message: it takes its time, and is noted once it has had its effect. */
    private void work(Item<String> item, boolean isInCall, @Nullable Connection connection)
            throws SQLException {
        Message message = item.message();
        world.book().begins(this, message, isInCall);
        try {
            takeTime();
            if (world.isServerAway()) {
                throw new UnavailableException("what it calls is away");
            } else if (world.isPoison(message) || world.faults().happens(Fault.FOLD_THROWS)) {
                world.book().fails(message);
                throw new IllegalStateException("not today");
            }
            hasItsEffect(message, connection);
            takeTime();
        } finally {
            world.book().ends(this, message);
        }
    }

    private void hasItsEffect(Message message, @Nullable Connection connection)
            throws SQLException {
        WorkTables tables = world.tables();
        if (tables != null && connection instanceof RowConnection rows) {
            tables.writes(message);
            rows.write(Trace.place(message));
        } else {
            world.book().did(message);
        }
    }

    private void takeTime() {
        if (world.random().nextInt(4) == 0) {
            world.scheduler().block(world.random().nextInt(20_000_000));
            gate();
        }
        if (world.faults().happens(Fault.FOLD_SLOW)) {
            world.scheduler().block(100_000_000L + world.random().nextInt(1_500_000_000));
            gate();
        }
    }

    private void setAside(Message message, @Nullable GivenUp givenUp) {
        world.scheduler().block(world.random().nextInt(5_000_000));
        gate();
        if (world.faults().happens(Fault.LETTERS_REFUSED)) {
            throw new UnavailableException("the broker does not take it now");
        }
        world.faults().landed(Fault.DEAD_LETTER);
        Long begun = transactionsBegan.peek();
        long pause = begun == null ? 0 : world.scheduler().now() - begun;
        boolean wasFrozen = pause > InMemoryTransaction.LONGEST_PAUSE.toNanos();
        world.book().setAside(message, givenUp, wasFrozen);
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
        world.book().fail(anomaly, seen);
    }

    @Override
    void ranOutOfMemory() {
        throw new IllegalStateException("there is enough");
    }

    @Override
    void left() {
        loops.close();
    }

    /** Whether one of its partitions does not go on. */
    boolean isStopped() {
        return partitions().stream().anyMatch(PartitionStatus::stopped);
    }
}
