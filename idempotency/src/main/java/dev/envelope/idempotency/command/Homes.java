package dev.envelope.idempotency.command;

import dev.envelope.core.offset.TopicAdmin.Topic;
import dev.envelope.idempotency.directory.Directory;
import dev.envelope.idempotency.directory.RowsInMemory;
import dev.envelope.idempotency.store.directory.DirectoryStore.Owner;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Where keys live: in which partition, at which process, and what this process has of them in
 * memory. Nothing here blocks.
 *
 * <p>Threads: thread-safe (immutable; its parts are).
 */
public final class Homes {

    private final TopicsNow topics;
    private final String topic;
    private final Partitioner partitioner;
    private final Directory directory;
    private final RowsInMemory rows;

    /**
     * @param topic of the keys
     */
    public Homes(
            TopicsNow topics,
            String topic,
            Partitioner partitioner,
            Directory directory,
            RowsInMemory rows) {
        this.topics = topics;
        this.topic = topic;
        this.partitioner = partitioner;
        this.directory = directory;
        this.rows = rows;
    }

    /** The partition of a record's key; empty while the brokers have not told of the topic. */
    public Optional<TopicPartition> of(byte[] recordKey) {
        Topic now = topics.find(topic);
        return now == null
                ? Optional.empty()
                : Optional.of(
                        new TopicPartition(
                                topic, partitioner.partition(recordKey, now.partitions())));
    }

    /** Who owned the partition a moment ago, if anybody has told so. */
    public Optional<Owner> owner(TopicPartition partition) {
        return directory.owner(partition);
    }

    /**
     * The row of a key, if it is in this process's memory.
     *
     * @param atLeast what has to be applied to it; null for nothing in particular
     */
    public Optional<RowsInMemory.Found> find(
            String rowKey, TopicPartition home, @Nullable LogPosition atLeast) {
        return atLeast == null
                ? rows.find(rowKey, home, null, -1)
                : rows.find(
                        rowKey,
                        home,
                        new TopicPartition(atLeast.topic(), atLeast.partition()),
                        atLeast.offset());
    }
}
