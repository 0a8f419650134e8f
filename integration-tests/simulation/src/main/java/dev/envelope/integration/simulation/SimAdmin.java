package dev.envelope.integration.simulation;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.TopicAdmin;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;

/**
 * What the broker tells one process of logs and commits, over a network: it takes a while, and may
 * not answer.
 *
 * <p>Threads: one thread.
 */
final class SimAdmin implements TopicAdmin {

    private final SimProcess owner;
    private final Cluster world;

    SimAdmin(SimProcess owner, Cluster world) {
        this.owner = owner;
        this.world = world;
    }

    private <T> T call(Supplier<T> ask) {
        owner.gate();
        world.scheduler().block(100_000L + world.random().nextInt(2_000_000));
        if (world.faults().happens(Fault.BROKER_SILENT)) {
            owner.gate();
            throw new UnavailableException("the broker did not answer");
        }
        T answer = ask.get();
        world.scheduler().block(100_000L + world.random().nextInt(2_000_000));
        owner.gate();
        return answer;
    }

    @Override
    public Map<String, Topic> describe(Set<String> topics) {
        return call(
                () -> {
                    Map<String, Topic> described = new HashMap<>();
                    for (String topic : topics) {
                        List<SimPartition> all = world.log().of(topic);
                        if (!all.isEmpty()) {
                            described.put(topic, new Topic(all.get(0).topicId(), all.size()));
                        }
                    }
                    return described;
                });
    }

    @Override
    public Map<TopicPartition, Commit> committed(Set<TopicPartition> partitions) {
        return call(
                () -> {
                    Map<TopicPartition, Commit> commits = new HashMap<>();
                    for (TopicPartition partition : partitions) {
                        world.log()
                                .commit(partition)
                                .ifPresent(commit -> commits.put(partition, commit));
                    }
                    return commits;
                });
    }

    @Override
    public Map<TopicPartition, NextOffset> earliest(Set<TopicPartition> partitions) {
        return each(partitions, log -> new NextOffset(log.start(), NextOffset.NO_EPOCH));
    }

    @Override
    public Map<TopicPartition, NextOffset> latest(Set<TopicPartition> partitions) {
        return each(partitions, SimPartition::end);
    }

    @Override
    public Map<TopicPartition, Bounds> bounds(Set<TopicPartition> partitions) {
        return call(
                () -> {
                    Map<TopicPartition, Bounds> bounds = new HashMap<>();
                    for (TopicPartition partition : partitions) {
                        SimPartition log = world.log().find(partition);
                        if (log != null && !world.faults().happens(Fault.BROKER_SILENT)) {
                            NextOffset first = new NextOffset(log.start(), NextOffset.NO_EPOCH);
                            bounds.put(partition, new Bounds(first, log.end()));
                        }
                    }
                    return bounds;
                });
    }

    @Override
    public Map<TopicPartition, NextOffset> at(Instant instant, Set<TopicPartition> partitions) {
        return each(partitions, log -> log.at(instant.toEpochMilli()));
    }

    private Map<TopicPartition, NextOffset> each(
            Set<TopicPartition> partitions, Function<SimPartition, NextOffset> what) {
        return call(
                () -> {
                    Map<TopicPartition, NextOffset> offsets = new HashMap<>();
                    for (TopicPartition partition : partitions) {
                        SimPartition log = world.log().find(partition);
                        if (log == null) {
                            throw new UnavailableException(partition + " does not exist");
                        }
                        offsets.put(partition, what.apply(log));
                    }
                    return offsets;
                });
    }
}
