package dev.envelope.core;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.mailbox.KeyGate;
import dev.envelope.core.mailbox.ReadyShards;
import dev.envelope.core.mailbox.Shards;
import dev.envelope.core.mailbox.TurnRunner;
import dev.envelope.core.membership.Slots;
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
 * Everything between a Kafka client and a handler: the poll loop, the shards and the workers, wired
 * to each other. It starts no thread: its turns are called by threads, by a test, or by a
 * simulation.
 *
 * <p>Threads: immutable; its parts say who may call them.
 */
public final class Engine {

    /** With more keys than these, looking for one costs more than it saves. */
    private static final int MOST_REMEMBERED = 4096;

    private final WorkerPool pool;
    private final KeyGate keys = new KeyGate();
    private final Shards shards;
    private final PollLoop loop;
    private final Inspector inspector;

    /**
     * What the engine is wired to.
     *
     * @param fault called, on any thread of the pool, with a fault of the program
     * @param ready wraps the queue of ready shards; {@link UnaryOperator#identity} if threads wait
     *     on that queue
     * @param slots decide who reads what; null if a group does
     */
    public record Surroundings(
            Consumer<byte @Nullable [], byte @Nullable []> client,
            TopicAdmin admin,
            Checkpoints checkpoints,
            EnvelopeHandler handler,
            Environment environment,
            Telemetry telemetry,
            java.util.function.Consumer<Throwable> fault,
            UnaryOperator<ReadyShards> ready,
            @Nullable Slots slots) {}

    /** Wires the stages; nothing runs before a turn is called. */
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
                        settings.sizing(),
                        runner,
                        around.fault(),
                        environment.ticker(),
                        telemetry);
        shards =
                Shards.of(
                        settings.shards(),
                        settings.division(),
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
                                        settings.nullKeys(),
                                        settings.ordering(),
                                        rememberedKeys(settings.loop())),
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
                                new ClientProperties(settings).protocol(),
                                around.admin(),
                                around.slots()));
    }

    /** They take a thirtieth of the budget at most. */
    private static int rememberedKeys(PollLoop.Limits limits) {
        return (int) Math.min(MOST_REMEMBERED, Math.max(1, limits.prefetchBytes() / 8192));
    }

    /** The loop of the poll thread. */
    public PollLoop loop() {
        return loop;
    }

    /** The workers: their number can be changed while they run. */
    public WorkerPool pool() {
        return pool;
    }

    /**
     * Which keys have to wait: those paused in the database, and those paused by calls, in this
     * process until it ends.
     */
    public KeyGate keys() {
        return keys;
    }

    /** The parts that the keys are divided into. */
    public Shards shards() {
        return shards;
    }

    /** Shows what single keys are doing, and what partitions wait for. */
    public Inspector inspector() {
        return inspector;
    }
}
