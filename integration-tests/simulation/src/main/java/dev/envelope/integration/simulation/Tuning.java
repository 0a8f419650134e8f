package dev.envelope.integration.simulation;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.WorkerThreads;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.FailurePolicy.Patience;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.key.NullKeys;
import dev.envelope.core.key.Ordering;
import dev.envelope.core.mailbox.TurnLimits;
import dev.envelope.idempotency.limit.SetAsideLimits;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * What a process is started with that the others of its group need not have: how much it holds and
 * takes at once, how often and for how long it tries.
 *
 * <p>Threads: immutable.
 */
record Tuning(
        int workers,
        int shards,
        long cacheBytes,
        TurnLimits turns,
        PollLoop.Limits loop,
        FailurePolicy failures,
        SetAsideLimits.Bounds setAside) {

    static final Duration TURN_TIME = Duration.ofMillis(100);

    private static final Duration NO_HANDLER_TIMEOUT = Duration.ofDays(1);

    private static final long ROOM_FOR_ALL = 1 << 30;

    static Tuning draw(World world) {
        RandomGenerator random = world.random();
        return new Tuning(
                1 + random.nextInt(3),
                1 << random.nextInt(4),
                cacheBytes(random),
                new TurnLimits(
                        1 + random.nextInt(20),
                        400 + random.nextInt(8_000),
                        1 + random.nextInt(100),
                        400 + random.nextInt(30_000),
                        TURN_TIME,
                        handlerTimeout(world)),
                new PollLoop.Limits(
                        1_000 + random.nextInt(60_000),
                        10 + random.nextInt(300),
                        Duration.ofMillis(20 + random.nextInt(500)),
                        Duration.ofMillis(2_500)),
                new FailurePolicy(
                        1 + random.nextInt(4),
                        Duration.ofMillis(20),
                        Duration.ofMillis(500),
                        world.settings().onFailure(),
                        Set.of(),
                        new Patience(patience(random), patience(random))),
                setAside(world));
    }

    /** In half of the seeds all set aside as much as there is. */
    private static SetAsideLimits.Bounds setAside(World world) {
        RandomGenerator random = world.random();
        return !world.faults().besetsHandlers() || world.areLimitsLifted()
                ? new SetAsideLimits.Bounds(Integer.MAX_VALUE, Integer.MAX_VALUE, 100, 1)
                : new SetAsideLimits.Bounds(
                        2 + random.nextInt(10),
                        5 + random.nextInt(40),
                        20 + random.nextInt(80),
                        3 + random.nextInt(10));
    }

    /**
     * A simulated fold blocks for whatever runs inside of it meanwhile, which is mostly nobody's
     * fault: so this is long where there is one.
     */
    private static Duration handlerTimeout(World world) {
        RandomGenerator random = world.random();
        return !world.faults().besetsHandlers() || random.nextInt(3) == 0
                ? NO_HANDLER_TIMEOUT
                : Duration.ofMillis(700 + random.nextInt(2_000));
    }

    /** Whether a handler may be at a message for as long as it likes. */
    boolean hasNoHandlerTimeout() {
        return turns.handlerTimeout().equals(NO_HANDLER_TIMEOUT);
    }

    /** All, nothing, or a few rows: whom a cache drops depends on what it was asked for alone. */
    private static long cacheBytes(RandomGenerator random) {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> ROOM_FOR_ALL;
            default -> 700 + random.nextInt(10_000);
        };
    }

    /** One process in three waits for longer than a seed lasts. */
    private static Duration patience(RandomGenerator random) {
        return random.nextInt(3) == 0
                ? Duration.ofHours(1)
                : Duration.ofMillis(50 + random.nextInt(700));
    }

    /** All settings of a process of this world. */
    ConsumerSettings settings(SimInstance process, World world) {
        SimSettings shared = world.settings();
        return new ConsumerSettings(
                "app",
                world.topics(),
                Map.of(
                        ConsumerConfig.GROUP_PROTOCOL_CONFIG,
                        world.group().protocol().ofTheClient().name),
                world.formats().keys().format(process, world),
                shared.scope(),
                new NullKeys.Reject(),
                shared.positions(),
                failures,
                turns,
                loop,
                workers,
                workers,
                PoolSizing.GAIN,
                WorkerThreads.PLATFORM,
                shards,
                Ordering.KEY,
                null,
                process.division());
    }
}
