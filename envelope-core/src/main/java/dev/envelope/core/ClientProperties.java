package dev.envelope.core;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.GroupProtocol;

/**
 * The properties of the Kafka clients: the engine's defaults, the user's settings, and those that
 * are fixed.
 */
final class ClientProperties {

    /** Fixed: the engine's guarantees depend on them, so users can't change them. */
    private static final Map<String, Object> OWNED =
            Map.of(
                    ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false,
                    ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none",
                    ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);

    private static final int HEARTBEAT_MILLIS = 500;

    /**
     * How long a broker keeps a fetch that finds nothing. The client asks for the partitions that
     * are not paused, and asks that broker for no other until it has answered. So a busy partition
     * that was paused for a few milliseconds among idle ones is not fetched for this long.
     */
    private static final int LONGEST_FETCH_MILLIS = 50;

    private static final String CONSUMER = "consumer.";
    private static final String ADMIN = "admin.";

    /**
     * The poll loop never waits for a handler, so it needs no more than a minute. It is also how
     * long a group waits in a rebalance for a member that does not rejoin, and how long a member
     * waits for a reply that was lost. No partition of the group makes progress in that time.
     */
    private static final int LONGEST_REBALANCE_MILLIS = 60_000;

    private final ConsumerSettings settings;

    ClientProperties(ConsumerSettings settings) {
        this.settings = settings;
    }

    Map<String, Object> consumer() {
        Map<String, Object> properties = new HashMap<>();
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 5_000);
        properties.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, LONGEST_REBALANCE_MILLIS);
        // The client buffers what it fetches, in addition to our budget.
        long fetch = Math.max(1 << 20, Math.min(32 << 20, settings.loop().prefetchBytes() / 2));
        properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, (int) fetch);
        properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, LONGEST_FETCH_MILLIS);
        properties.put(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, false);
        properties.putAll(forClient(CONSUMER));
        if (protocolOf(properties) == GroupProtocol.CLASSIC) {
            properties.putIfAbsent(
                    ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                    CooperativeStickyAssignor.class.getName());
            properties.putIfAbsent(
                    ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, heartbeatMillis(properties));
        }
        properties.put(ConsumerConfig.GROUP_ID_CONFIG, settings.applicationId());
        properties.putAll(OWNED);
        return properties;
    }

    /**
     * A member learns of a rebalance by its next heartbeat. With the client's default of three
     * seconds, partitions would be idle for that long.
     */
    private static int heartbeatMillis(Map<String, Object> properties) {
        Object session = properties.get(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG);
        return session == null
                ? HEARTBEAT_MILLIS
                : Math.max(1, Math.min(HEARTBEAT_MILLIS, Integer.parseInt(session.toString()) / 3));
    }

    GroupProtocol protocol() {
        return protocolOf(forClient(CONSUMER));
    }

    private static GroupProtocol protocolOf(Map<String, Object> properties) {
        String name = String.valueOf(properties.get(ConsumerConfig.GROUP_PROTOCOL_CONFIG));
        return GroupProtocol.CONSUMER.name().equalsIgnoreCase(name)
                ? GroupProtocol.CONSUMER
                : GroupProtocol.CLASSIC;
    }

    Map<String, Object> admin() {
        Map<String, Object> properties = new HashMap<>();
        properties.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 10_000);
        properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
        Map<String, Object> wanted = forClient(ADMIN);
        wanted.keySet().retainAll(AdminClientConfig.configNames());
        properties.putAll(wanted);
        return properties;
    }

    private Map<String, Object> forClient(String prefix) {
        Map<String, Object> common = new HashMap<>();
        Map<String, Object> own = new HashMap<>();
        Set<String> prefixes = Set.of(CONSUMER, ADMIN);
        settings.clientProperties()
                .forEach(
                        (name, value) -> {
                            if (name.startsWith(prefix)) {
                                own.put(name.substring(prefix.length()), value);
                            } else if (prefixes.stream().noneMatch(name::startsWith)) {
                                common.put(name, value);
                            }
                        });
        common.putAll(own);
        return common;
    }
}
