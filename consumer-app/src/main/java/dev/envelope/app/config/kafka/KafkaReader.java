package dev.envelope.app.config.kafka;

import dev.envelope.app.config.problem.Nearest;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.problem.Visible;
import dev.envelope.app.config.source.Entry;
import dev.envelope.app.config.source.References;
import dev.envelope.app.config.source.ResolvedEntry;
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
 * Checks the settings that go through to the Kafka clients, without opening any client: names,
 * types and ranges by the clients' own definitions, and those that the engine owns by its list.
 *
 * <p>Threads: one thread, the one that loads.
 */
public final class KafkaReader {

    private static final String GROUP_PROTOCOL = "group.protocol";
    private static final Set<String> BROKER_DECIDES =
            Set.of("session.timeout.ms", "heartbeat.interval.ms");

    private final ProblemCollector problems;

    /** A reader that tells what it finds. */
    public KafkaReader(ProblemCollector problems) {
        this.problems = problems;
    }

    /** What each client gets; what is wrong is told and left out. */
    public KafkaSettings read(List<ResolvedEntry> entries) {
        Map<Client, Map<String, Object>> byClient = new EnumMap<>(Client.class);
        Map<String, Entry> consumers = new HashMap<>();
        entries.stream()
                .sorted(Comparator.comparing((ResolvedEntry it) -> !name(it).isCommon()))
                .filter(this::check)
                .forEach(
                        it -> {
                            KafkaName name = name(it);
                            Object value =
                                    name.isPassword() ? new Password(it.value()) : it.value();
                            name.clients()
                                    .forEach(
                                            client ->
                                                    byClient.computeIfAbsent(
                                                                    client, any -> new TreeMap<>())
                                                            .put(name.name(), value));
                            if (name.clients().contains(Client.CONSUMER)) {
                                consumers.put(name.name(), it.entry());
                            }
                        });
        checkProtocol(byClient.getOrDefault(Client.CONSUMER, Map.of()), consumers);
        return new KafkaSettings(byClient);
    }

    private boolean check(ResolvedEntry resolved) {
        KafkaName name = name(resolved);
        Optional<OwnedSetting> owned = OwnedSetting.find(name);
        if (owned.isPresent() && !owned.get().allows(resolved.value())) {
            error(resolved, owned.get().reason());
            return false;
        }
        Optional<ConfigKey> definition = name.definition();
        if (definition.isEmpty()) {
            unknown(resolved.entry(), name);
            return false;
        }
        return checkValue(resolved, name, definition.get());
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

    private boolean checkValue(ResolvedEntry resolved, KafkaName name, ConfigKey definition) {
        String value = resolved.value();
        if (name.name().equals("ssl.endpoint.identification.algorithm") && value.isBlank()) {
            error(resolved, "must not be empty: the broker's certificate would fit any host");
            return false;
        }
        if (definition.type() == ConfigDef.Type.CLASS) {
            return true;
        }
        Object parsed;
        try {
            parsed = ConfigDef.parseType(name.name(), value, definition.type());
        } catch (ConfigException e) {
            error(
                    resolved,
                    "is not of its type, " + definition.type().name().toLowerCase(Locale.ROOT));
            return false;
        }
        return withinRange(resolved, name, definition, parsed);
    }

    private boolean withinRange(
            ResolvedEntry resolved, KafkaName name, ConfigKey definition, Object parsed) {
        if (definition.validator == null) {
            return true;
        }
        try {
            definition.validator.ensureValid(name.name(), parsed);
            return true;
        } catch (ConfigException e) {
            String allowed = definition.validator.toString();
            error(resolved, "is not allowed" + (allowed.isEmpty() ? "" : ": " + allowed));
            return false;
        }
    }

    /** Says beforehand what the client would refuse when it is opened. */
    private void checkProtocol(Map<String, Object> consumer, Map<String, Entry> entries) {
        boolean modern = "consumer".equalsIgnoreCase(text(consumer, GROUP_PROTOCOL));
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

    private static String text(Map<String, Object> settings, String name) {
        return String.valueOf(settings.get(name));
    }

    private void error(ResolvedEntry resolved, String message) {
        Entry entry = resolved.entry();
        boolean hidden = name(resolved).isSecret() && !References.isOnlyReference(entry.text());
        problems.error(
                entry.origin(),
                Visible.subject(entry.key(), hidden ? ValueType.MASK : entry.text()),
                message);
    }

    private static KafkaName name(ResolvedEntry resolved) {
        return KafkaName.of(resolved.entry().key());
    }
}
