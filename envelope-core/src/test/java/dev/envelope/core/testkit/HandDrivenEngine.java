package dev.envelope.core.testkit;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.Engine;
import dev.envelope.core.WorkerThreads;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.key.Division;
import dev.envelope.core.key.KeyFormat;
import dev.envelope.core.key.KeyFormats;
import dev.envelope.core.key.NullKeys;
import dev.envelope.core.key.Ordering;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.mailbox.Shard;
import dev.envelope.core.mailbox.TurnLimits;
import dev.envelope.core.membership.Slots;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.pool.WorkerPool;
import dev.envelope.core.position.PositionPolicy;
import dev.envelope.core.position.StartFrom;
import dev.envelope.core.status.Inspector;
import dev.envelope.core.turn.EnvelopeHandler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.jspecify.annotations.Nullable;

/**
 * The engine without a thread: the poll loop's turn, a worker's turn and the background are called
 * by hand.
 *
 * <p>Threads: one thread.
 */
public final class HandDrivenEngine {

    /** How large it is; what differs from the defaults is changed with {@code with…}. */
    public record Setup(
            PositionPolicy positions,
            FailurePolicy failures,
            TurnLimits turns,
            PollLoop.Limits limits,
            int workers,
            int shards,
            GroupProtocol protocol,
            KeyFormat keys,
            @Nullable Slots slots) {

        public static final Setup DEFAULT =
                new Setup(
                        new PositionPolicy(
                                new StartFrom.Earliest(),
                                PositionPolicy.OffsetAhead.STOP,
                                PositionPolicy.Gap.STOP),
                        new FailurePolicy(
                                3,
                                Duration.ofMillis(100),
                                Duration.ofSeconds(1),
                                FailurePolicy.Last.STOP),
                        new TurnLimits(1000, 1 << 20, 2000, 4 << 20, Duration.ofMillis(100)),
                        new PollLoop.Limits(
                                1 << 20, 100_000, Duration.ofSeconds(1), Duration.ofSeconds(3)),
                        1,
                        4,
                        GroupProtocol.CLASSIC,
                        KeyFormats.string(),
                        null);

        public Setup with(PositionPolicy other) {
            return new Setup(
                    other, failures, turns, limits, workers, shards, protocol, keys, slots);
        }

        public Setup with(FailurePolicy other) {
            return new Setup(
                    positions, other, turns, limits, workers, shards, protocol, keys, slots);
        }

        public Setup with(TurnLimits other) {
            return new Setup(
                    positions, failures, other, limits, workers, shards, protocol, keys, slots);
        }

        public Setup with(PollLoop.Limits other) {
            return new Setup(
                    positions, failures, turns, other, workers, shards, protocol, keys, slots);
        }

        public Setup with(GroupProtocol other) {
            return new Setup(
                    positions, failures, turns, limits, workers, shards, other, keys, slots);
        }

        public Setup with(KeyFormat other) {
            return new Setup(
                    positions, failures, turns, limits, workers, shards, protocol, other, slots);
        }

        public Setup withShards(int other) {
            return new Setup(
                    positions, failures, turns, limits, workers, other, protocol, keys, slots);
        }

        /** No group divides the partitions. */
        public Setup with(Slots other) {
            return new Setup(
                    positions, failures, turns, limits, workers, shards, protocol, keys, other);
        }

        private ConsumerSettings settings(Set<String> topics) {
            return new ConsumerSettings(
                    "hand-driven",
                    topics,
                    Map.of(ConsumerConfig.GROUP_PROTOCOL_CONFIG, protocol.name),
                    keys,
                    RowKeys.Scope.APPLICATION,
                    new NullKeys.Reject(),
                    positions,
                    failures,
                    turns,
                    limits,
                    workers,
                    workers,
                    PoolSizing.GAIN,
                    WorkerThreads.PLATFORM,
                    shards,
                    Ordering.KEY,
                    null,
                    Division.NONE);
        }
    }

    private final ManualEnvironment environment;
    private final Engine engine;
    private @Nullable Throwable fault;

    public HandDrivenEngine(
            Setup setup,
            Set<String> topics,
            ManualEnvironment environment,
            Consumer<byte @Nullable [], byte @Nullable []> consumer,
            TopicAdmin admin,
            Checkpoints checkpoints,
            EnvelopeHandler handler) {
        this.environment = environment;
        engine =
                new Engine(
                        setup.settings(topics),
                        new Engine.Surroundings(
                                consumer,
                                admin,
                                checkpoints,
                                handler,
                                environment.environment(),
                                Telemetry.NONE,
                                thrown -> fault = thrown,
                                UnaryOperator.identity(),
                                setup.slots()));
    }

    public PollLoop loop() {
        return engine.loop();
    }

    public WorkerPool pool() {
        return engine.pool();
    }

    /** Looks at keys and partitions. */
    public Inspector inspector() {
        return engine.inspector();
    }

    public List<Shard> shards() {
        return engine.shards().all();
    }

    /** One turn of the poll loop. */
    public boolean turn() {
        return engine.loop().turn();
    }

    /** Turns of the workers until no shard is ready. */
    public int work() {
        int turns = 0;
        while (engine.pool().turn()) {
            if (++turns > 100_000) {
                throw new InvariantViolation("the workers never come to rest");
            }
        }
        return turns;
    }

    /** Some rounds of everything: poll, background, workers; the clock stands still. */
    public void run(int rounds) {
        for (int i = 0; i < rounds; i++) {
            turn();
            environment.runBackground();
            work();
        }
    }

    /** Lets time go by in small steps, with a round of everything after each. */
    public void run(Duration time) {
        Duration step = Duration.ofMillis(10);
        for (Duration gone = Duration.ZERO; gone.compareTo(time) < 0; gone = gone.plus(step)) {
            environment.advance(step);
            run(1);
        }
    }

    /** What a turn of a worker threw. */
    public @Nullable Throwable fault() {
        return fault;
    }
}
