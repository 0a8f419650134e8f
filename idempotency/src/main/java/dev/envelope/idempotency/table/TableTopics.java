package dev.envelope.idempotency.table;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.idempotency.store.table.TableSettings;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/**
 * The table as a topic: a partition for each slot that there may be, none of which has an end,
 * since numbers are given when rows are read. Nobody but the database says how far it is done.
 *
 * @param slots among which it may be divided
 */
record TableTopics(TableSettings table, int slots) implements TopicAdmin {

    private static final NextOffset FIRST = new NextOffset(0, NextOffset.NO_EPOCH);
    private static final NextOffset END = new NextOffset(Long.MAX_VALUE, NextOffset.NO_EPOCH);

    @Override
    public Map<String, Topic> describe(Set<String> topics) {
        return topics.stream()
                .filter(table.source()::equals)
                .collect(
                        Collectors.toMap(
                                Function.identity(), it -> new Topic(table.sourceId(), slots)));
    }

    @Override
    public Map<TopicPartition, Commit> committed(Set<TopicPartition> partitions) {
        return Map.of();
    }

    @Override
    public Map<TopicPartition, NextOffset> earliest(Set<TopicPartition> partitions) {
        return each(partitions, FIRST);
    }

    /** It has no rows that are not to be done. */
    @Override
    public Map<TopicPartition, NextOffset> latest(Set<TopicPartition> partitions) {
        return each(partitions, FIRST);
    }

    @Override
    public Map<TopicPartition, NextOffset> at(Instant instant, Set<TopicPartition> partitions) {
        return each(partitions, FIRST);
    }

    @Override
    public Map<TopicPartition, Bounds> bounds(Set<TopicPartition> partitions) {
        return each(partitions, new Bounds(FIRST, END));
    }

    private static <T> Map<TopicPartition, T> each(Set<TopicPartition> partitions, T its) {
        return partitions.stream().collect(Collectors.toMap(Function.identity(), it -> its));
    }
}
