package dev.envelope.idempotency.output.kafka;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.idempotency.outbox.TopicFinder;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;

/**
 * How to reach the brokers that outputs go to.
 *
 * @param producer the user's properties for producers
 * @param admin the user's properties for admin clients
 * @param servers the brokers, for messages
 */
public record Brokers(Map<String, Object> producer, Map<String, Object> admin, String servers) {

    public Brokers {
        producer = Map.copyOf(producer);
        admin = Map.copyOf(admin);
    }

    /** The brokers that a consumer reads from, with its properties for all clients. */
    public static Brokers of(ConsumerSettings settings) {
        Map<String, Object> common = new HashMap<>(settings.clientProperties());
        common.keySet().removeIf(name -> name.matches("(consumer|admin)\\..*"));
        return new Brokers(common, common, String.valueOf(common.get("bootstrap.servers")));
    }

    TopicFinder topics() {
        return new TopicFinder(admin, servers);
    }

    /**
     * An admin client that waits no longer than this for an answer.
     *
     * @throws KafkaException if the client refuses its settings
     */
    public Admin ask(int millis) {
        Map<String, Object> properties = new HashMap<>(admin);
        properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
        properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.min(millis, 5_000));
        properties.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        return Admin.create(properties);
    }
}
