package dev.envelope.core.position;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.TopicAdmin;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Asks a real cluster by Kafka's admin client. */
public final class KafkaTopicAdmin implements TopicAdmin {

    private final Admin admin;
    private final String groupId;

    public KafkaTopicAdmin(Admin admin, String groupId) {
        this.admin = admin;
        this.groupId = groupId;
    }

    @Override
    public Map<String, Topic> describe(Set<String> topics) {
        Map<String, Topic> described = new HashMap<>();
        admin.describeTopics(topics)
                .topicNameValues()
                .forEach(
                        (name, answer) -> {
                            try {
                                var topic = get(answer);
                                int partitions = topic.partitions().size();
                                described.put(name, new Topic(topic.topicId(), partitions));
                            } catch (UnknownTopic e) {
                                // It is missing in the answer.
                            }
                        });
        return described;
    }

    @Override
    public Map<TopicPartition, Commit> committed(Set<TopicPartition> partitions) {
        Map<TopicPartition, Commit> commits = new HashMap<>();
        get(admin.listConsumerGroupOffsets(groupId).partitionsToOffsetAndMetadata())
                .forEach(
                        (partition, commit) -> {
                            if (commit != null && partitions.contains(partition)) {
                                int epoch = commit.leaderEpoch().orElse(NextOffset.NO_EPOCH);
                                NextOffset next = new NextOffset(commit.offset(), epoch);
                                commits.put(partition, new Commit(next, commit.metadata()));
                            }
                        });
        return commits;
    }

    @Override
    public Map<TopicPartition, NextOffset> earliest(Set<TopicPartition> partitions) {
        return offsets(partitions, OffsetSpec.earliest());
    }

    @Override
    public Map<TopicPartition, NextOffset> latest(Set<TopicPartition> partitions) {
        return offsets(partitions, OffsetSpec.latest());
    }

    @Override
    public Map<TopicPartition, Bounds> bounds(Set<TopicPartition> partitions) {
        ListOffsetsResult firsts = ask(partitions, OffsetSpec.earliest());
        ListOffsetsResult ends = ask(partitions, OffsetSpec.latest());
        Map<TopicPartition, Bounds> bounds = new HashMap<>();
        @Nullable UnavailableException failure = null;
        for (TopicPartition partition : partitions) {
            try {
                NextOffset first = offset(get(firsts.partitionResult(partition)));
                NextOffset end = offset(get(ends.partitionResult(partition)));
                bounds.put(partition, new Bounds(first, end));
            } catch (UnavailableException e) {
                failure = e;
            }
        }
        if (bounds.isEmpty() && failure != null) {
            throw failure;
        }
        return bounds;
    }

    @Override
    public Map<TopicPartition, NextOffset> at(Instant instant, Set<TopicPartition> partitions) {
        Map<TopicPartition, NextOffset> found =
                new HashMap<>(offsets(partitions, OffsetSpec.forTimestamp(instant.toEpochMilli())));
        latest(partitions).forEach(found::putIfAbsent);
        return found;
    }

    private Map<TopicPartition, NextOffset> offsets(
            Set<TopicPartition> partitions, OffsetSpec which) {
        Map<TopicPartition, NextOffset> offsets = new HashMap<>();
        get(ask(partitions, which).all())
                .forEach(
                        (partition, info) -> {
                            if (info.offset() >= 0) {
                                offsets.put(partition, offset(info));
                            }
                        });
        return offsets;
    }

    private ListOffsetsResult ask(Set<TopicPartition> partitions, OffsetSpec which) {
        return admin.listOffsets(
                partitions.stream().collect(Collectors.toMap(Function.identity(), tp -> which)));
    }

    private static NextOffset offset(ListOffsetsResultInfo info) {
        return new NextOffset(info.offset(), info.leaderEpoch().orElse(NextOffset.NO_EPOCH));
    }

    private static final class UnknownTopic extends UnavailableException {

        private static final long serialVersionUID = 1L;

        UnknownTopic(Throwable cause) {
            super("no such topic or partition: " + cause.getMessage(), cause);
        }
    }

    private static <T> T get(KafkaFuture<T> answer) {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted while asking the broker", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof UnknownTopicOrPartitionException) {
                throw new UnknownTopic(cause);
            }
            throw new UnavailableException("the broker: " + cause.getMessage(), cause);
        }
    }
}
