package dev.envelope.integration.bench.client;

import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * What the Kafka consumers of all contestants but ours are given: 5,000 records a poll, as ours
 * has, and the client's own defaults.
 *
 * <p>Threads: immutable.
 */
public final class ConsumerDefaults {

    private ConsumerDefaults() {}

    /** Without deserializers. */
    public static Map<String, Object> of(ClientSpec spec) {
        return Map.of(
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
                FirstPoll.class.getName());
    }
}
