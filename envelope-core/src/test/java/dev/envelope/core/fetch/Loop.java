package dev.envelope.core.fetch;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.core.testkit.FakeCheckpoints;
import dev.envelope.core.testkit.HandDrivenEngine;
import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import dev.envelope.core.testkit.InMemoryCluster;
import dev.envelope.core.testkit.InMemoryTopicAdmin;
import dev.envelope.core.testkit.ManualEnvironment;
import dev.envelope.core.testkit.ScriptedConsumer;
import dev.envelope.core.testkit.ScriptedHandler;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** An engine over a topic of three partitions, all of it at hand. */
public final class Loop {

    static final TopicPartition P0 = new TopicPartition("orders", 0);
    static final TopicPartition P1 = new TopicPartition("orders", 1);
    static final TopicPartition P2 = new TopicPartition("orders", 2);

    /** What a record of {@link #append} is counted with. */
    static final int RECORD_BYTES = Message.OVERHEAD_BYTES + 10 + 10;

    final ManualEnvironment environment = new ManualEnvironment();
    final InMemoryCluster cluster;
    public final ScriptedConsumer consumer;
    final InMemoryTopicAdmin admin;
    final FakeCheckpoints checkpoints = new FakeCheckpoints();
    public final ScriptedHandler handler = new ScriptedHandler();
    public final HandDrivenEngine engine;
    private final Setup setup;
    private final Function<TopicAdmin, Checkpoints> without;

    public Loop(Setup setup) {
        this(newCluster(), setup, null);
    }

    /** With other checkpoints than {@link #checkpoints}. */
    Loop(Setup setup, Function<TopicAdmin, Checkpoints> others) {
        this(newCluster(), setup, others);
    }

    private static InMemoryCluster newCluster() {
        InMemoryCluster cluster = new InMemoryCluster();
        cluster.createTopic("orders", 3);
        return cluster;
    }

    /** Another process, with the same cluster. */
    Loop next() {
        return new Loop(cluster, setup, without);
    }

    private Loop(
            InMemoryCluster cluster,
            Setup setup,
            @Nullable Function<TopicAdmin, Checkpoints> others) {
        this.cluster = cluster;
        this.setup = setup;
        this.without = others == null ? topics -> checkpoints : others;
        consumer = new ScriptedConsumer(cluster);
        admin = new InMemoryTopicAdmin(cluster);
        engine =
                new HandDrivenEngine(
                        setup,
                        Set.of("orders"),
                        environment,
                        consumer,
                        admin,
                        without.apply(admin),
                        handler);
    }

    static Setup limits(long prefetchBytes, long aheadMaxRecords) {
        return Setup.DEFAULT.with(
                new PollLoop.Limits(
                        prefetchBytes,
                        aheadMaxRecords,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(3)));
    }

    /** Appends so many records of that key, each of {@link #RECORD_BYTES}. */
    void append(TopicPartition partition, String key, int records) {
        for (int i = 0; i < records; i++) {
            cluster.append(partition, pad(key), "0123456789");
        }
    }

    /** A key as {@link #append} makes it: ten characters. */
    static String pad(String key) {
        return (key + "..........").substring(0, 10);
    }

    /** Assigns the partitions and brings them to where they flow. */
    void assignAndFind(TopicPartition... partitions) {
        consumer.assign(partitions);
        engine.turn();
        environment.runBackground();
    }

    /** Lets the commit interval go by and a round of commits be made. */
    public void commitRound() {
        environment.advance(Duration.ofMillis(1001));
        engine.turn(); // the checkpoint begins
        environment.runBackground();
        engine.turn(); // the commit
        engine.turn(); // its reply
    }

    long committed(TopicPartition partition) {
        return cluster.committedOffset(partition);
    }

    PartitionStatus status(TopicPartition partition) {
        environment.advance(Duration.ofMillis(201));
        engine.turn();
        return engine.loop().status().partitions().stream()
                .filter(it -> it.partition().equals(partition))
                .findAny()
                .orElseThrow();
    }

    static NextOffset at(long offset) {
        return new NextOffset(offset, 0);
    }
}
