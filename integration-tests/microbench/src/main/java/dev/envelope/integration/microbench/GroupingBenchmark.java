package dev.envelope.integration.microbench;

import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.api.Environment;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Message;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.mailbox.KeyGate;
import dev.envelope.core.mailbox.Shard;
import dev.envelope.core.mailbox.TurnLimits;
import dev.envelope.core.mailbox.TurnRunner;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.pool.WorkerPool;
import dev.envelope.core.testkit.ManualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/**
 * From the mailboxes of sixteen shards to envelopes, and back to acks: all of a turn but the
 * handler.
 */
@State(Scope.Thread)
public class GroupingBenchmark {

    private static final int SHARDS = 16;

    /** Of how many keys the messages are; the last: nearly each of another. */
    @Param({"1000", "100000", "1000000000"})
    public int keys;

    private AckInbox inbox;
    private WorkerPool pool;
    private List<Shard> shards;
    private List<List<Message>> posts;

    @Setup
    public void setUp() {
        Environment environment = new ManualEnvironment().environment();
        inbox = new AckInbox(environment.parker());
        TurnRunner runner =
                new TurnRunner(
                        turn -> {
                            for (int i = 0; i < turn.envelopes().size(); i++) {
                                turn.settle(i, Outcome.applied(turn.envelopes().get(i)));
                            }
                        },
                        inbox,
                        new TurnLimits(10_000, 64 << 20, 100_000, 64 << 20, Duration.ofDays(1)),
                        new FailurePolicy(1, Duration.ZERO, Duration.ZERO, FailurePolicy.Last.STOP),
                        environment,
                        Telemetry.NONE);
        pool =
                new WorkerPool(
                        1,
                        1, PoolSizing.GAIN,
                        runner,
                        fault -> {
                            throw new IllegalStateException(fault);
                        },
                        environment.ticker(),
                        Telemetry.NONE);
        shards =
                IntStream.range(0, SHARDS)
                        .mapToObj(i -> new Shard(i, pool.readyShards(), environment, new KeyGate()))
                        .toList();
        posts = new ArrayList<>();
        shards.forEach(shard -> posts.add(new ArrayList<>()));
        for (Message message : Samples.messages(keys)) {
            posts.get(Math.floorMod(message.key().hashCode(), SHARDS)).add(message);
        }
    }

    @Benchmark
    @OperationsPerInvocation(Samples.BATCH)
    public void turn(Blackhole sink) {
        for (int i = 0; i < SHARDS; i++) {
            shards.get(i).post(posts.get(i));
        }
        while (pool.turn()) {
            inbox.drain(sink::consume);
        }
    }
}
