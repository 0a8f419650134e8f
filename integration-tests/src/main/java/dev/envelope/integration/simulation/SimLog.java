package dev.envelope.integration.simulation;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.TopicAdmin;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * One topic's log, and the group's commits.
 *
 * <p>Threads: one thread.
 */
final class SimLog implements TopicAdmin {

    static final String TOPIC = "events";
    static final String ID_HEADER = "id";

    private final List<List<ConsumerRecord<byte @Nullable [], byte @Nullable []>>> partitions =
            new ArrayList<>();
    private final long[] nextOffsets;
    private final Map<TopicPartition, Commit> commits = new HashMap<>();
    private final Uuid topicId = new Uuid(1, 1);
    private int leaderEpoch;

    SimLog(int partitionCount) {
        nextOffsets = new long[partitionCount];
        for (int i = 0; i < partitionCount; i++) {
            partitions.add(new ArrayList<>());
        }
    }

    int partitionCount() {
        return partitions.size();
    }

    List<TopicPartition> all() {
        List<TopicPartition> all = new ArrayList<>();
        for (int i = 0; i < partitions.size(); i++) {
            all.add(new TopicPartition(TOPIC, i));
        }
        return all;
    }

    void append(
            int partition,
            byte @Nullable [] key,
            byte @Nullable [] value,
            String eventId,
            long timestamp) {
        RecordHeaders headers = new RecordHeaders();
        headers.add(ID_HEADER, eventId.getBytes(StandardCharsets.UTF_8));
        partitions
                .get(partition)
                .add(
                        new ConsumerRecord<>(
                                TOPIC,
                                partition,
                                nextOffsets[partition]++,
                                timestamp,
                                TimestampType.CREATE_TIME,
                                key == null ? -1 : key.length,
                                value == null ? -1 : value.length,
                                key,
                                value,
                                headers,
                                Optional.of(leaderEpoch)));
    }

    /** A transaction's marker, or a record that compaction has removed: an offset without one. */
    void skipOffset(int partition) {
        nextOffsets[partition]++;
    }

    void electLeader() {
        leaderEpoch++;
    }

    List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> records(int partition) {
        return partitions.get(partition);
    }

    NextOffset end(int partition) {
        return new NextOffset(nextOffsets[partition], leaderEpoch);
    }

    void commit(TopicPartition partition, NextOffset next, String metadata) {
        commits.put(partition, new Commit(next, metadata));
    }

    Optional<Commit> commit(TopicPartition partition) {
        return Optional.ofNullable(commits.get(partition));
    }

    // --- what the admin client tells

    @Override
    public Map<String, Topic> describe(Set<String> topics) {
        return Map.of(TOPIC, new Topic(topicId, partitions.size()));
    }

    @Override
    public Map<TopicPartition, Commit> committed(Set<TopicPartition> of) {
        Map<TopicPartition, Commit> some = new HashMap<>(commits);
        some.keySet().retainAll(of);
        return some;
    }

    @Override
    public Map<TopicPartition, NextOffset> earliest(Set<TopicPartition> of) {
        Map<TopicPartition, NextOffset> offsets = new HashMap<>();
        of.forEach(partition -> offsets.put(partition, new NextOffset(0, NextOffset.NO_EPOCH)));
        return offsets;
    }

    @Override
    public Map<TopicPartition, NextOffset> latest(Set<TopicPartition> of) {
        Map<TopicPartition, NextOffset> offsets = new HashMap<>();
        of.forEach(partition -> offsets.put(partition, end(partition.partition())));
        return offsets;
    }

    @Override
    public Map<TopicPartition, NextOffset> at(Instant instant, Set<TopicPartition> of) {
        return latest(of);
    }
}
