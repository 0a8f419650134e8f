package dev.envelope.integration.bench.client;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The Kafka side of the hand-written contestants: 5,000 records a poll, as for ours.
 *
 * <p>Threads: poll thread only.
 */
final class LoopConsumer implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMillis(100);

    private final KafkaConsumer<byte[], byte[]> consumer;

    private LoopConsumer(ClientSpec spec) {
        consumer =
                new KafkaConsumer<>(
                        ConsumerDefaults.of(spec),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
    }

    /** One that gets its partitions from the group. */
    static LoopConsumer ofGroup(ClientSpec spec) {
        LoopConsumer made = new LoopConsumer(spec);
        made.consumer.subscribe(List.of(spec.topic()));
        return made;
    }

    /**
     * One with a fixed part of the partitions, so that no rebalance disturbs it, as it would in
     * life.
     *
     * @param place which of {@code consumers} it is
     */
    static LoopConsumer ofPart(ClientSpec spec, int place, int consumers) {
        LoopConsumer made = new LoopConsumer(spec);
        int partitions = made.consumer.partitionsFor(spec.topic()).size();
        List<TopicPartition> part =
                IntStream.range(0, partitions)
                        .filter(partition -> partition % consumers == place)
                        .mapToObj(partition -> new TopicPartition(spec.topic(), partition))
                        .toList();
        made.consumer.assign(part);
        return made;
    }

    ConsumerRecords<byte[], byte[]> poll() {
        return consumer.poll(PATIENCE);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
