package dev.envelope.app.config.kafka;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** The settings for each Kafka client. Passwords are of Kafka's type, which prints masked. */
public final class KafkaSettings {

    private final Map<Client, Map<String, Object>> byClient = new EnumMap<>(Client.class);

    KafkaSettings(Map<Client, Map<String, Object>> byClient) {
        byClient.forEach(
                (client, settings) ->
                        this.byClient.put(
                                client, Collections.unmodifiableMap(new TreeMap<>(settings))));
    }

    /** What was set for a client, by the client's own names; the engine adds what it owns. */
    public Map<String, Object> of(Client client) {
        return byClient.getOrDefault(client, Map.of());
    }

    /** Names only: values may be secrets. */
    @Override
    public String toString() {
        Map<Client, Object> names = new EnumMap<>(Client.class);
        byClient.forEach((client, settings) -> names.put(client, settings.keySet()));
        return names.toString();
    }
}
