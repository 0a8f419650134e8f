package dev.envelope.idempotency.outbox;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** The settings of producers of our own: idempotent, acknowledged by all, and soon in trouble. */
public final class ProducerSettings {

    private static final int DELIVERY_MILLIS = 15_000;
    private static final int LARGEST_RECORD = 128 << 20;

    private final Map<String, Object> properties = new HashMap<>();

    /**
     * @param users properties, which win except where records could be lost or doubled
     * @param blockMillis how long a call of the producer may wait
     */
    public ProducerSettings(Map<String, Object> users, int blockMillis) {
        properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, blockMillis);
        properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS / 3);
        properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS);
        properties.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        // Large enough for any record that could be read; memory is allocated only when needed.
        properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, LARGEST_RECORD);
        properties.put(ProducerConfig.BUFFER_MEMORY_CONFIG, (long) LARGEST_RECORD);
        properties.put(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        properties.putAll(users);
        properties.put(ProducerConfig.ACKS_CONFIG, "all");
        properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    }

    /** Sets a property, also against the user's. */
    public ProducerSettings with(String name, Object value) {
        properties.put(name, value);
        return this;
    }

    /** Sets a property if the user has not. */
    public ProducerSettings orElse(String name, Object value) {
        properties.putIfAbsent(name, value);
        return this;
    }

    /**
     * A producer.
     *
     * @throws KafkaException if the client refuses its settings
     */
    public Producer<byte @Nullable [], byte @Nullable []> make() {
        return new KafkaProducer<>(
                properties, new ByteArraySerializer(), new ByteArraySerializer());
    }
}
