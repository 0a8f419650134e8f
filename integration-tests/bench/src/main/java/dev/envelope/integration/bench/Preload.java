package dev.envelope.integration.bench;

import dev.envelope.integration.bench.client.Workload;
import dev.envelope.integration.stack.LocalStack;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the topic of a workload and sends its records, each partition's in order.
 *
 * <p>Threads: immutable.
 */
public final class Preload {

    private Preload() {}

    public static String topicOf(Workload workload) {
        return "bench-" + workload.name() + "-" + workload.records();
    }

    public static void run(LocalStack stack, Workload workload) {
        String topic = topicOf(workload);
        stack.topics().create(topic, Workload.PARTITIONS);
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        try (KafkaProducer<byte[], byte[]> producer = producer(stack)) {
            for (int record = 0; record < workload.records(); record++) {
                byte[] key =
                        Workload.account(workload.keyOf(record)).getBytes(StandardCharsets.UTF_8);
                var unused =
                        producer.send(
                                new ProducerRecord<>(
                                        topic,
                                        Workload.partitionOf(key),
                                        key,
                                        workload.value(record)),
                                (done, e) -> {
                                    if (e != null) {
                                        failure.set(e);
                                    }
                                });
            }
            producer.flush();
        }
        if (failure.get() != null) {
            throw new IllegalStateException("the topic could not be filled", failure.get());
        }
    }

    private static KafkaProducer<byte[], byte[]> producer(LocalStack stack) {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        stack.broker().bootstrapServers(),
                        "linger.ms",
                        20,
                        "batch.size",
                        128 << 10,
                        "buffer.memory",
                        64L << 20),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }
}
