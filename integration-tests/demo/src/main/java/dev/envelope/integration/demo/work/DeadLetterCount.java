package dev.envelope.integration.demo.work;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Counts the different dead letters of a topic of one partition. Threads: stateless. */
final class DeadLetterCount {

    private static final Duration PATIENCE = Duration.ofMillis(500);

    private DeadLetterCount() {}

    static long of(String bootstrapServers, String topic) {
        TopicPartition partition = new TopicPartition(topic, 0);
        Set<String> ids = new HashSet<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of("bootstrap.servers", bootstrapServers),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = requireNonNull(consumer.endOffsets(List.of(partition)).get(partition));
            while (consumer.position(partition) < end) {
                for (ConsumerRecord<byte[], byte[]> letter : consumer.poll(PATIENCE)) {
                    Header id = requireNonNull(letter.headers().lastHeader("envelope.id"));
                    ids.add(new String(id.value(), StandardCharsets.UTF_8));
                }
            }
        }
        return ids.size();
    }
}
