package dev.envelope.core.testkit;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.TopicAdmin;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Answers from an {@link InMemoryCluster}, unless it is told not to.
 *
 * <p>Threads: one thread.
 */
public final class InMemoryTopicAdmin implements TopicAdmin {

    private final InMemoryCluster cluster;
    private final Set<TopicPartition> leaderless = new HashSet<>();
    private @Nullable String unavailable;
    private int questions;

    public InMemoryTopicAdmin(InMemoryCluster cluster) {
        this.cluster = cluster;
    }

    /** From now on there is no answer, for this reason; null for answers. */
    public void unavailable(@Nullable String reason) {
        unavailable = reason;
    }

    /** From now on nobody knows where this log begins and ends. */
    public void losesLeader(TopicPartition partition) {
        leaderless.add(partition);
    }

    /** It can be asked for again. */
    public void findsLeader(TopicPartition partition) {
        leaderless.remove(partition);
    }

    /** How often it was asked. */
    public int questions() {
        return questions;
    }

    private void asked() {
        questions++;
        if (unavailable != null) {
            throw new UnavailableException(unavailable);
        }
    }

    @Override
    public Map<String, Topic> describe(Set<String> topics) {
        asked();
        Map<String, Topic> described = new HashMap<>();
        for (String topic : topics) {
            cluster.topicId(topic)
                    .ifPresent(
                            id -> described.put(topic, new Topic(id, cluster.partitions(topic))));
        }
        return described;
    }

    @Override
    public Map<TopicPartition, Commit> committed(Set<TopicPartition> partitions) {
        asked();
        Map<TopicPartition, Commit> commits = new HashMap<>();
        for (TopicPartition partition : partitions) {
            cluster.committed(partition)
                    .ifPresent(
                            it ->
                                    commits.put(
                                            partition,
                                            new Commit(
                                                    new NextOffset(
                                                            it.offset(), epoch(it.leaderEpoch())),
                                                    it.metadata())));
        }
        return commits;
    }

    @Override
    public Map<TopicPartition, NextOffset> earliest(Set<TopicPartition> partitions) {
        return offsets(partitions, cluster::start);
    }

    @Override
    public Map<TopicPartition, NextOffset> latest(Set<TopicPartition> partitions) {
        return offsets(partitions, cluster::end);
    }

    @Override
    public Map<TopicPartition, Bounds> bounds(Set<TopicPartition> partitions) {
        Map<TopicPartition, NextOffset> first = earliest(partitions);
        Map<TopicPartition, NextOffset> end = latest(partitions);
        Map<TopicPartition, Bounds> bounds = new HashMap<>();
        first.forEach(
                (partition, offset) ->
                        bounds.put(
                                partition,
                                new Bounds(offset, end.getOrDefault(partition, offset))));
        bounds.keySet().removeAll(leaderless);
        return bounds;
    }

    @Override
    public Map<TopicPartition, NextOffset> at(Instant instant, Set<TopicPartition> partitions) {
        return offsets(
                partitions,
                partition ->
                        cluster.readAll(partition).stream()
                                .filter(it -> it.timestamp() >= instant.toEpochMilli())
                                .mapToLong(it -> it.offset())
                                .findFirst()
                                .orElse(cluster.end(partition)));
    }

    private Map<TopicPartition, NextOffset> offsets(
            Set<TopicPartition> partitions, ToLongFunction<TopicPartition> which) {
        asked();
        Map<TopicPartition, NextOffset> offsets = new HashMap<>();
        for (TopicPartition partition : partitions) {
            long offset = which.applyAsLong(partition);
            offsets.put(partition, new NextOffset(offset, NextOffset.NO_EPOCH));
        }
        return offsets;
    }

    private static int epoch(Optional<Integer> epoch) {
        return epoch.orElse(NextOffset.NO_EPOCH);
    }
}
