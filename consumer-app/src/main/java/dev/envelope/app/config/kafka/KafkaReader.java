package dev.envelope.app.config.kafka;

import dev.envelope.app.config.layer.Entry;
import dev.envelope.app.config.layer.References;
import dev.envelope.app.config.problem.Nearest;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.problem.Visible;
import dev.envelope.app.config.value.ValueType;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;

/**
 * Checks the settings for the Kafka clients, without opening any client: names, types and ranges by
 * the clients' own definitions, and those that the engine owns by its list.
 */
public final class KafkaReader {

    private static final String GROUP_PROTOCOL = "group.protocol";
    private static final Set<String> BROKER_DECIDES =
            Set.of("session.timeout.ms", "heartbeat.interval.ms");

    private final ProblemCollector problems;

    /** A reader that reports problems here. */
    public KafkaReader(ProblemCollector problems) {
        this.problems = problems;
    }

    /** The settings of each client; wrong ones are reported and left out. */
    public KafkaSettings read(List<Entry> entries) {
        Map<Client, Map<String, Object>> byClient = new EnumMap<>(Client.class);
        Map<String, Entry> consumers = new HashMap<>();
        entries.stream()
                .sorted(Comparator.comparing(it -> !KafkaName.of(it.key()).isCommon()))
                .filter(this::check)
                .forEach(
                        entry -> {
                            KafkaName name = KafkaName.of(entry.key());
                            Object value =
                                    name.isPassword() ? new Password(entry.value()) : entry.value();
                            for (Client client : name.clients()) {
                                byClient.computeIfAbsent(client, any -> new TreeMap<>())
                                        .put(name.name(), value);
                            }
                            if (name.clients().contains(Client.CONSUMER)) {
                                consumers.put(name.name(), entry);
                            }
                        });
        checkProtocol(byClient.getOrDefault(Client.CONSUMER, Map.of()), consumers);
        return new KafkaSettings(byClient);
    }

    private boolean check(Entry entry) {
        KafkaName name = KafkaName.of(entry.key());
        Optional<ConfigKey> definition = name.definition();
        Optional<String> reason =
                OwnedSetting.find(name)
                        .filter(owned -> !owned.allows(entry.value()))
                        .map(OwnedSetting::reason);
        if (reason.isEmpty() && definition.isEmpty()) {
            unknown(entry, name);
            return false;
        }
        reason = reason.or(() -> definition.flatMap(it -> whatIsWrong(entry.value(), it)));
        boolean hidden = name.isSecret() && !References.isOnlyReference(entry.text());
        String shown = hidden ? ValueType.MASK : entry.text();
        reason.ifPresent(
                it -> problems.error(entry.origin(), Visible.subject(entry.key(), shown), it));
        return reason.isEmpty();
    }

    private void unknown(Entry entry, KafkaName name) {
        Set<Client> others = Client.knowing(name.name());
        String hint =
                others.isEmpty()
                        ? OwnedSetting.hint(KafkaName.dotted(name.name()))
                                .orElseGet(() -> nearest(name))
                        : "it is a setting of another client: "
                                + others.iterator().next().prefix()
                                + name.name();
        String who = name.isCommon() ? "no Kafka client has" : "this Kafka client does not have";
        problems.error(entry.origin(), name.key(), who + " a setting " + name.name(), hint);
    }

    private static String nearest(KafkaName name) {
        return Nearest.to(name.name(), name.candidates()).stream()
                .map(near -> name.prefix() + near)
                .reduce((one, other) -> one + " or " + other)
                .map(near -> "did you mean " + near + "?")
                .orElse("after the prefix stands a name of Kafka's own");
    }

    private static Optional<String> whatIsWrong(String value, ConfigKey definition) {
        if (definition.name.equals("ssl.endpoint.identification.algorithm") && value.isBlank()) {
            return Optional.of("must not be empty: the broker's certificate would fit any host");
        }
        if (definition.type() == ConfigDef.Type.CLASS) {
            return Optional.empty();
        }
        Object parsed;
        try {
            parsed = ConfigDef.parseType(definition.name, value, definition.type());
        } catch (ConfigException e) {
            return Optional.of(
                    "is not of its type, " + definition.type().name().toLowerCase(Locale.ROOT));
        }
        try {
            if (definition.validator != null) {
                definition.validator.ensureValid(definition.name, parsed);
            }
            return Optional.empty();
        } catch (ConfigException e) {
            String allowed = definition.validator.toString();
            return Optional.of("is not allowed" + (allowed.isEmpty() ? "" : ": " + allowed));
        }
    }

    /** Reports what the client would refuse when it is opened. */
    private void checkProtocol(Map<String, Object> consumer, Map<String, Entry> entries) {
        boolean modern = "consumer".equalsIgnoreCase(String.valueOf(consumer.get(GROUP_PROTOCOL)));
        Entry protocol = entries.get(GROUP_PROTOCOL);
        for (String name : BROKER_DECIDES) {
            Entry entry = entries.get(name);
            if (modern && entry != null && protocol != null) {
                problems.error(
                        entry.origin(),
                        Visible.subject(entry.key(), entry.text()),
                        "cannot be set with group.protocol=consumer ("
                                + protocol.origin().describeFrom(entry.origin())
                                + "): there the brokers decide it",
                        "on the brokers it is group.consumer." + name);
            }
        }
        Entry assignor = entries.get("group.remote.assignor");
        if (!modern && assignor != null) {
            problems.error(
                    assignor.origin(),
                    Visible.subject(assignor.key(), assignor.text()),
                    "needs kafka.consumer.group.protocol=consumer");
        }
    }
}
