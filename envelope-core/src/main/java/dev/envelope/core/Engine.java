package dev.envelope.core;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.mailbox.KeyGate;
import dev.envelope.core.mailbox.ReadyShards;
import dev.envelope.core.mailbox.Shards;
import dev.envelope.core.mailbox.TurnRunner;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.pool.WorkerPool;
import dev.envelope.core.position.PositionFinder;
import dev.envelope.core.status.Inspector;
import dev.envelope.core.turn.EnvelopeHandler;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Everything between a client and a handler: the poll loop, the shards and the workers, wired to
 * each other. It starts no thread: whoever has it calls the turns, with threads, by hand, or in a
 * simulation.
 *
 * <p>Threads: immutable; its parts say who may call them.
 */
public final class Engine {

    private final WorkerPool pool;
    private final KeyGate keys = new KeyGate();
    private final Shards shards;
    private final PollLoop loop;
    private final Inspector inspector;

    /**
     * What the engine is put between.
     *
     * @param fault is told, by a worker, that the program is wrong
     * @param ready put around what is told that a shard is ready; {@link UnaryOperator#identity}
     *     where threads wait for that
     */
    public record Surroundings(
            Consumer<byte @Nullable [], byte @Nullable []> client,
            TopicAdmin admin,
            Checkpoints checkpoints,
            EnvelopeHandler handler,
            Environment environment,
            Telemetry telemetry,
            java.util.function.Consumer<Throwable> fault,
            UnaryOperator<ReadyShards> ready) {}

    /** Wires the stages; nothing runs before somebody calls a turn. */
    public Engine(ConsumerSettings settings, Surroundings around) {
        Environment environment = around.environment();
        Telemetry telemetry = around.telemetry();
        AckInbox inbox = new AckInbox(environment.parker());
        TurnRunner runner =
                new TurnRunner(
                        around.handler(),
                        inbox,
                        settings.turns(),
                        settings.failures(),
                        environment,
                        telemetry);
        pool =
                new WorkerPool(
                        settings.workers(),
                        settings.mostWorkers(),
                        runner,
                        around.fault(),
                        environment.ticker(),
                        telemetry);
        shards =
                Shards.of(
                        settings.shards(),
                        around.ready().apply(pool.readyShards()),
                        environment,
                        keys);
        inspector = new Inspector(shards, pool, environment.ticker());
        loop =
                new PollLoop(
                        new PollLoop.Parts(
                                around.client(),
                                settings.topics(),
                                new RowKeys(
                                        settings.keyFormat(),
                                        settings.keyScope(),
                                        settings.nullKeys()),
                                new PositionFinder(
                                        around.admin(), around.checkpoints(), settings.positions()),
                                around.checkpoints(),
                                inbox,
                                keys,
                                shards,
                                pool,
                                settings.loop(),
                                settings.failures().patience(),
                                environment,
                                telemetry,
                                new ClientProperties(settings).protocol()));
    }

    /** What the poll thread does. */
    public PollLoop loop() {
        return loop;
    }

    /** The workers: their number can be changed while they run. */
    public WorkerPool pool() {
        return pool;
    }

    /**
     * Which keys have to wait: those that the database says, and others by calls, which hold for
     * this process as long as it runs.
     */
    public KeyGate keys() {
        return keys;
    }

    /** What the keys are divided into. */
    public Shards shards() {
        return shards;
    }

    /** Looks at single keys, and at what partitions wait for. */
    public Inspector inspector() {
        return inspector;
    }
}
