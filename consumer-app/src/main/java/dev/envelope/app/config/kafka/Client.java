package dev.envelope.app.config.kafka;

import dev.envelope.app.config.key.Registry;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;

/** A Kafka client of the process, with the settings that it knows. */
public enum Client {
    /** Reads the topics. */
    CONSUMER(ConsumerConfig.configDef()),
    /** Writes the records of the outbox. */
    PRODUCER(ProducerConfig.configDef()),
    /** Looks at topics and offsets. */
    ADMIN(AdminClientConfig.configDef());

    @SuppressWarnings("ImmutableEnumChecker") // a copy of our own, which is never changed
    private final ConfigDef definition;

    Client(ConfigDef definition) {
        this.definition = definition;
    }

    /** The prefix of settings for this client alone. */
    public String prefix() {
        return Registry.KAFKA + name().toLowerCase(Locale.ROOT) + ".";
    }

    /** The definition of a setting, if this client has it. */
    Optional<ConfigKey> find(String name) {
        return Optional.ofNullable(definition.configKeys().get(name))
                .filter(key -> !key.internalConfig);
    }

    /** The names that this client knows. */
    Collection<String> names() {
        return definition.configKeys().values().stream()
                .filter(key -> !key.internalConfig)
                .map(key -> key.name)
                .toList();
    }

    /** The clients that know a setting. */
    static Set<Client> knowing(String name) {
        return Arrays.stream(values())
                .filter(client -> client.find(name).isPresent())
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Client.class)));
    }

    /** The names that at least one client knows. */
    static List<String> allNames() {
        return Arrays.stream(values())
                .flatMap(client -> client.names().stream())
                .distinct()
                .sorted()
                .toList();
    }
}
