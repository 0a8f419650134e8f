package dev.envelope.integration.simulation;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.RecordDeserializationException.DeserializationExceptionOrigin;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * The part of the simulated client that fetches: positions, who is paused, and what polls throw. A
 * position is compared with the log by its leader epoch, as the real client does, where it has one.
 *
 * <p>Threads: one thread.
 */
final class SimFetcher {

    /** Most records of a partition in a poll. */
    static final int MOST_RECORDS = 40;

    /** Where a partition is read; an offset below zero is none yet. */
    private record At(long offset, int leaderEpoch) {}

    private static final At NOWHERE = new At(-1, NextOffset.NO_EPOCH);

    private final Cluster world;
    private final Map<TopicPartition, At> positions = new LinkedHashMap<>();
    private final Set<TopicPartition> paused = new LinkedHashSet<>();
    private final Map<TopicPartition, At> choked = new LinkedHashMap<>();
    private final Map<TopicPartition, TreeMap<Long, Integer>> delivered = new HashMap<>();

    SimFetcher(Cluster world) {
        this.world = world;
    }

    void assign(Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> positions.put(partition, NOWHERE));
    }

    void forget(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            positions.remove(partition);
            paused.remove(partition);
            choked.remove(partition);
            delivered.remove(partition);
        }
    }

    Set<TopicPartition> assigned() {
        return positions.keySet();
    }

    Set<TopicPartition> paused() {
        return paused;
    }

    void seek(TopicPartition partition, long offset, int leaderEpoch) {
        positions.put(partition, new At(offset, leaderEpoch));
        choked.remove(partition);
    }

    OptionalLong lag(TopicPartition partition) {
        At at = positions.getOrDefault(partition, NOWHERE);
        SimPartition log = world.log().find(partition);
        return at.offset() < 0 || log == null
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(0, log.end().offset() - at.offset()));
    }

    /** The bytes of the records that were delivered in this range; nothing if some are missing. */
    OptionalLong bytesBetween(TopicPartition partition, long from, long to, long count) {
        var some = delivered.getOrDefault(partition, new TreeMap<>()).subMap(from, to);
        return some.size() != count
                ? OptionalLong.empty()
                : OptionalLong.of(some.values().stream().mapToLong(it -> it).sum());
    }

    ConsumerRecords<byte @Nullable [], byte @Nullable []> poll() {
        List<TopicPartition> without =
                positions.keySet().stream()
                        .filter(tp -> positions.getOrDefault(tp, NOWHERE).offset() < 0)
                        .toList();
        if (!without.isEmpty()) {
            throw new NoOffsetForPartitionException(without);
        }
        Batch batch = new Batch();
        List<TopicPartition> all = new ArrayList<>(positions.keySet());
        Collections.rotate(all, world.random().nextInt(all.size() + 1));
        for (TopicPartition partition : all) {
            SimPartition log = world.log().find(partition);
            if (log != null && !paused.contains(partition)) {
                check(partition, log);
            }
        }
        for (TopicPartition partition : all) {
            SimPartition log = world.log().find(partition);
            if (log != null && (!paused.contains(partition) || choked.containsKey(partition))) {
                if (!fetch(partition, log, batch)) {
                    break; // the next poll throws
                }
            }
        }
        return new ConsumerRecords<>(batch.records, batch.next);
    }

    private static final class Batch {
        private final Map<
                        TopicPartition, List<ConsumerRecord<byte @Nullable [], byte @Nullable []>>>
                records = new LinkedHashMap<>();
        private final Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
    }

    /** Whether the position is in this log at all. */
    private void check(TopicPartition partition, SimPartition log) {
        At at = positions.getOrDefault(partition, NOWHERE);
        if (at.leaderEpoch() >= 0 && at.leaderEpoch() < log.leaderEpoch()) {
            long end = log.endOf(at.leaderEpoch());
            if (end < at.offset()) {
                int epoch = log.epochOf(end - 1);
                throw new LogTruncationException(
                        Map.of(partition, at.offset()),
                        Map.of(
                                partition,
                                new OffsetAndMetadata(
                                        end,
                                        epoch < 0 ? Optional.empty() : Optional.of(epoch),
                                        "")));
            }
        }
        if (at.offset() < log.start() || at.offset() > log.end().offset()) {
            throw new OffsetOutOfRangeException(Map.of(partition, at.offset()));
        }
    }

    /** Takes some; false if what comes next can't be read and others are to be handed out first. */
    private boolean fetch(TopicPartition partition, SimPartition log, Batch into) {
        At at = positions.getOrDefault(partition, NOWHERE);
        int most = 1 + world.random().nextInt(MOST_RECORDS);
        List<SimRecord> some = new ArrayList<>();
        List<SimRecord> all = log.records();
        boolean isSpoilt = choked.containsKey(partition);
        int end = log.firstAtOrAfter(log.stableEnd());
        for (int i = log.firstAtOrAfter(at.offset());
                i < end && some.size() < most && !isSpoilt;
                i++) {
            isSpoilt = log.isUnreadableAt(all.get(i).offset());
            if (!isSpoilt) {
                some.add(all.get(i));
            }
        }
        if (some.isEmpty() && isSpoilt) {
            choked.put(partition, at);
            if (into.records.isEmpty()) {
                throw unreadable(partition, at.offset());
            }
            return false;
        }
        boolean hasAll = some.size() < most && !isSpoilt;
        long after = hasAll ? log.stableEnd() : some.get(some.size() - 1).offset() + 1;
        if (after > at.offset()) {
            int epoch = log.epochOf(after - 1);
            positions.put(partition, new At(after, epoch));
            into.next.put(partition, new OffsetAndMetadata(after, Optional.of(epoch), ""));
        }
        if (!some.isEmpty()) {
            into.records.put(partition, some.stream().map(SimRecord::record).toList());
            note(partition, some);
        }
        return true;
    }

    private void note(TopicPartition partition, List<SimRecord> some) {
        TreeMap<Long, Integer> known = delivered.computeIfAbsent(partition, it -> new TreeMap<>());
        known.tailMap(some.get(0).offset()).clear();
        some.forEach(it -> known.put(it.offset(), Message.heldBytes(it.record())));
    }

    /** One that names nobody, as the client mostly throws, or one that does. */
    private KafkaException unreadable(TopicPartition partition, long offset) {
        world.faults().landed(Fault.UNREADABLE);
        if (world.random().nextInt(4) == 0) {
            return new RecordDeserializationException(
                    DeserializationExceptionOrigin.VALUE,
                    partition,
                    offset,
                    0,
                    TimestampType.CREATE_TIME,
                    null,
                    null,
                    new RecordHeaders(),
                    "no value",
                    new CorruptRecordException("crc"));
        }
        return new KafkaException(
                "Received exception when fetching the next record", new CorruptRecordException());
    }
}
