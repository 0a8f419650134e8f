package dev.envelope.app.config.kafka;

import dev.envelope.app.config.key.Registry;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;

/**
 * The parsed name of a setting for Kafka clients: {@code kafka.}, an optional client, the client's
 * own name.
 *
 * @param clients the clients that it is meant for
 * @param prefix what precedes the client's own name
 */
public record KafkaName(Set<Client> clients, String prefix, String name) {

    /** Certificates: the clients count them as passwords, but they are public. */
    private static final Set<String> PUBLIC =
            Set.of("ssl.keystore.certificate.chain", "ssl.truststore.certificates");

    /** Parses a key that begins with {@code kafka.}. */
    public static KafkaName of(String key) {
        for (Client client : Client.values()) {
            String prefix = client.prefix();
            if (key.startsWith(prefix)) {
                return new KafkaName(Set.of(client), prefix, key.substring(prefix.length()));
            }
        }
        String name = key.substring(Registry.KAFKA.length());
        Set<Client> knowing = Client.knowing(name);
        return new KafkaName(
                knowing.isEmpty() ? EnumSet.allOf(Client.class) : knowing, Registry.KAFKA, name);
    }

    /** The key that sets a client's own name, if a client knows it. */
    public static Optional<String> keyFor(String name) {
        Set<Client> knowing = Client.knowing(name);
        return knowing.stream()
                .findFirst()
                .map(one -> (knowing.size() == 1 ? one.prefix() : Registry.KAFKA) + name);
    }

    /** A name with dots where Spring and others write dashes or underscores. */
    public static String dotted(String name) {
        return name.replace('-', '.').replace('_', '.');
    }

    /** The key in full. */
    public String key() {
        return prefix + name;
    }

    /** Whether it is for all clients that know it. */
    boolean isCommon() {
        return prefix.equals(Registry.KAFKA);
    }

    /** The client's definition of it; empty when the client has no such setting. */
    Optional<ConfigKey> definition() {
        return clients.stream().flatMap(client -> client.find(name).stream()).findFirst();
    }

    /** Whether the client has such a setting. */
    public boolean isKnown() {
        return definition().isPresent();
    }

    /** Whether the client keeps it as a password. */
    boolean isPassword() {
        return definition().filter(key -> key.type() == ConfigDef.Type.PASSWORD).isPresent();
    }

    /** Whether its value may never be shown. */
    public boolean isSecret() {
        return isPassword() && !PUBLIC.contains(name);
    }

    /** The names that it may be a misspelling of. */
    Collection<String> candidates() {
        return isCommon() ? Client.allNames() : clients.iterator().next().names();
    }
}
