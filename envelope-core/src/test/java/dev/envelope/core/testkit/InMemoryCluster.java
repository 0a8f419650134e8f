package dev.envelope.core.testkit;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Logs, topic ids and one group's commits: what stays when a consumer dies.
 *
 * <p>Threads: one thread.
 */
public final class InMemoryCluster {

    private static final class Log {
        private final TreeMap<Long, ConsumerRecord<byte @Nullable [], byte @Nullable []>> records =
                new TreeMap<>();
        private long start;
        private long end;
        private int leaderEpoch;
        private long corruptAt = Long.MAX_VALUE;
    }

    private final Map<String, Uuid> topicIds = new HashMap<>();
    private final Map<TopicPartition, Log> logs = new HashMap<>();
    private final Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>();
    private long idsMade;
    private long timeMillis = 1_700_000_000_000L;

    /** Makes a topic; one of that name is gone, with its records, and this is another. */
    public void createTopic(String topic, int partitions) {
        topicIds.put(topic, new Uuid(0xE0, ++idsMade));
        logs.keySet().removeIf(partition -> partition.topic().equals(topic));
        growTopic(topic, partitions);
    }

    /** It is gone, with its records. */
    public void deleteTopic(String topic) {
        topicIds.remove(topic);
        logs.keySet().removeIf(partition -> partition.topic().equals(topic));
    }

    /** Adds partitions until there are so many. */
    public void growTopic(String topic, int partitions) {
        for (int number = 0; number < partitions; number++) {
            logs.computeIfAbsent(new TopicPartition(topic, number), partition -> new Log());
        }
    }

    public Optional<Uuid> topicId(String topic) {
        return Optional.ofNullable(topicIds.get(topic));
    }

    public int partitions(String topic) {
        return (int) logs.keySet().stream().filter(it -> it.topic().equals(topic)).count();
    }

    private Log log(TopicPartition partition) {
        Log log = logs.get(partition);
        if (log == null) {
            throw new IllegalArgumentException("no such partition: " + partition);
        }
        return log;
    }

    /** The timestamp of the records that come. */
    public void timeIs(long millis) {
        timeMillis = millis;
    }

    /** Appends a record of texts and says its offset. */
    public long append(TopicPartition partition, @Nullable String key, @Nullable String value) {
        return append(partition, utf8(key), utf8(value), new RecordHeaders());
    }

    /** Appends a record and says its offset. */
    public long append(
            TopicPartition partition,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers) {
        Log log = log(partition);
        long offset = log.end++;
        log.records.put(
                offset,
                new ConsumerRecord<>(
                        partition.topic(),
                        partition.partition(),
                        offset,
                        timeMillis,
                        TimestampType.CREATE_TIME,
                        key == null ? ConsumerRecord.NULL_SIZE : key.length,
                        value == null ? ConsumerRecord.NULL_SIZE : value.length,
                        key,
                        value,
                        headers,
                        Optional.of(log.leaderEpoch)));
        return offset;
    }

    /** An offset that no consumer gets a record for: a transaction marker, a compacted record. */
    public long appendGap(TopicPartition partition) {
        return log(partition).end++;
    }

    /** Another leader: what is appended from now on has the next leader epoch. */
    public void electLeader(TopicPartition partition) {
        log(partition).leaderEpoch++;
    }

    /** Somebody has put another log in its place, whose leader epochs begin anew. */
    public void turnBackLeaderEpoch(TopicPartition partition) {
        log(partition).leaderEpoch = 0;
    }

    /** Retention: the log begins here from now on. */
    public void removeBefore(TopicPartition partition, long offset) {
        Log log = log(partition);
        log.start = offset;
        log.end = Math.max(log.end, offset);
        log.records.headMap(offset).clear();
    }

    /** An unclean election: the log ends here, and what follows has another leader epoch. */
    public void truncateTo(TopicPartition partition, long offset) {
        Log log = log(partition);
        log.end = offset;
        log.records.tailMap(offset).clear();
        log.leaderEpoch++;
    }

    /** Where the records of this leader epoch, and of those before it, have ended. */
    long endOf(TopicPartition partition, int leaderEpoch) {
        return log(partition).records.values().stream()
                .filter(it -> it.leaderEpoch().orElse(leaderEpoch) > leaderEpoch)
                .mapToLong(ConsumerRecord::offset)
                .min()
                .orElse(end(partition));
    }

    /** The batch at this offset can't be read; what is before it can. */
    public void corrupt(TopicPartition partition, long offset) {
        log(partition).corruptAt = offset;
    }

    /** The log is whole again. */
    public void mend(TopicPartition partition) {
        log(partition).corruptAt = Long.MAX_VALUE;
    }

    public boolean isCorrupt(TopicPartition partition, long offset) {
        return log(partition).corruptAt == offset;
    }

    /** How far a reader at this offset comes: to the end, or to what can't be read. */
    public long readableEnd(TopicPartition partition, long from) {
        Log log = log(partition);
        return from <= log.corruptAt ? Math.min(log.corruptAt, log.end) : log.end;
    }

    public long start(TopicPartition partition) {
        return log(partition).start;
    }

    public long end(TopicPartition partition) {
        return log(partition).end;
    }

    public int leaderEpoch(TopicPartition partition) {
        return log(partition).leaderEpoch;
    }

    /** The first records from an offset on, so many at most. */
    public List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> read(
            TopicPartition partition, long from, int max) {
        long end = readableEnd(partition, from);
        return log(partition).records.tailMap(from).values().stream()
                .takeWhile(it -> it.offset() < end)
                .limit(max)
                .toList();
    }

    /** All records of the log. */
    public List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> readAll(
            TopicPartition partition) {
        return new ArrayList<>(log(partition).records.values());
    }

    public void commit(TopicPartition partition, OffsetAndMetadata offset) {
        commits.put(partition, offset);
    }

    /** What the group has committed for a partition. */
    public Optional<OffsetAndMetadata> committed(TopicPartition partition) {
        return Optional.ofNullable(commits.get(partition));
    }

    /** The offset that the group has committed for a partition, or -1. */
    public long committedOffset(TopicPartition partition) {
        return committed(partition).map(OffsetAndMetadata::offset).orElse(-1L);
    }

    private static byte @Nullable [] utf8(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return topicIds.keySet() + ", committed " + Arrays.toString(commits.keySet().toArray());
    }
}
