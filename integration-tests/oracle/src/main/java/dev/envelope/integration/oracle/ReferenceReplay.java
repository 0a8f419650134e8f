package dev.envelope.integration.oracle;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a topic from its start, as far as it is committed, with one thread that knows no envelopes,
 * no marks and no restarts.
 *
 * <p>Threads: one at a time.
 */
public final class ReferenceReplay implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(100);

    private final KafkaConsumer<byte @Nullable [], byte @Nullable []> consumer;
    private final List<TopicPartition> partitions;
    private final ExpectedRows expected = new ExpectedRows();

    /** Reads nothing yet. */
    public ReferenceReplay(String bootstrapServers, String topic) {
        consumer =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                bootstrapServers,
                                "isolation.level",
                                "read_committed",
                                "enable.auto.commit",
                                false,
                                "auto.offset.reset",
                                "none"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
        partitions =
                consumer.partitionsFor(topic).stream()
                        .map(it -> new TopicPartition(topic, it.partition()))
                        .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** Reads on, to the present end of the committed log. */
    public void readToEnd() {
        readTo(consumer.endOffsets(partitions));
    }

    /** Reads on until every partition is read to its offset. */
    public void readTo(Map<TopicPartition, Long> ends) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (ends.entrySet().stream()
                .anyMatch(it -> consumer.position(it.getKey()) < it.getValue())) {
            var records = consumer.poll(POLL);
            records.forEach(expected::read);
            if (!records.isEmpty()) {
                deadline = System.nanoTime() + PATIENCE.toNanos(); // it goes on
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("the log can't be read to " + ends);
            }
        }
    }

    /** What was read so far makes this. */
    public ExpectedRows expected() {
        return expected;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
