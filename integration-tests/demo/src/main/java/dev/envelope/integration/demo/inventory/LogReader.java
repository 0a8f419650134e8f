package dev.envelope.integration.demo.inventory;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Reads a topic from its beginning to where it ends now, and goes on from there; only what was
 * committed.
 *
 * <p>Threads: one thread.
 */
final class LogReader implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final String topic;
    private final KafkaConsumer<String, String> consumer;
    private final List<TopicPartition> partitions;

    LogReader(String bootstrapServers, String topic) {
        this.topic = topic;
        this.consumer =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                bootstrapServers,
                                "isolation.level",
                                "read_committed"),
                        new StringDeserializer(),
                        new StringDeserializer());
        this.partitions =
                consumer.partitionsFor(topic).stream()
                        .map(it -> new TopicPartition(topic, it.partition()))
                        .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    void readToEnd(Consumer<ConsumerRecord<String, String>> reader) {
        Map<TopicPartition, Long> ends = ends();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (partitions.stream()
                .anyMatch(it -> consumer.position(it) < ends.getOrDefault(it, 0L))) {
            ConsumerRecords<String, String> read = consumer.poll(POLL);
            if (!read.isEmpty()) {
                deadline = System.nanoTime() + PATIENCE.toNanos();
            } else if (System.nanoTime() > deadline) {
                throw new ServerAwayException("nothing comes of " + topic, null);
            }
            read.forEach(reader);
        }
    }

    private Map<TopicPartition, Long> ends() {
        try {
            return consumer.endOffsets(partitions, PATIENCE);
        } catch (RetriableException e) {
            throw new ServerAwayException(topic + " can't be read: " + e.getMessage(), e);
        }
    }

    /** What comes next in a partition. */
    long position(int partition) {
        return consumer.position(new TopicPartition(topic, partition));
    }

    @Override
    public void close() {
        consumer.close();
    }
}
