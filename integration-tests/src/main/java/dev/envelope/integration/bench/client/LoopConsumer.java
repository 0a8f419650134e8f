package dev.envelope.integration.bench.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The Kafka side of the hand-written loops: one consumer, 5,000 records a poll, as for ours.
 *
 * <p>Threads: poll thread only.
 */
final class LoopConsumer implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMillis(100);

    private final KafkaConsumer<byte[], byte[]> consumer;

    LoopConsumer(ClientSpec spec) {
        consumer =
                new KafkaConsumer<>(
                        Map.of(
                                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                spec.bootstrapServers(),
                                ConsumerConfig.GROUP_ID_CONFIG,
                                spec.group(),
                                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                                false,
                                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                                "earliest",
                                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                                "read_committed",
                                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                                5_000,
                                ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG,
                                FirstPoll.class.getName()),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
        consumer.subscribe(List.of(spec.topic()));
    }

    ConsumerRecords<byte[], byte[]> poll() {
        return consumer.poll(PATIENCE);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
