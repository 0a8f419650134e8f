package dev.envelope.app.config;

import dev.envelope.app.config.kafka.KafkaName;
import dev.envelope.app.config.kafka.OwnedSetting;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.problem.Nearest;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds what somebody may have meant who wrote a setting that does not exist.
 *
 * <p>Threads: stateless.
 */
final class Suggestions {

    private Suggestions() {}

    /** One hint: Kafka's own name without its prefix, a name that is near, or where to look. */
    static String forUnknown(String name) {
        return OwnedSetting.find(name)
                .map(owned -> "Kafka's " + name + " " + owned.reason())
                .or(() -> KafkaName.keyFor(name).map(key -> "did you mean " + key + "?"))
                .or(() -> Nearest.hint(name, candidates(name)).findFirst())
                .orElse("all settings are described in docs/configuration.md");
    }

    private static List<String> candidates(String name) {
        String last = name.substring(name.lastIndexOf('.') + 1);
        return Stream.concat(
                        Registry.names().stream(),
                        Registry.prefixes().stream().map(prefix -> prefix + last))
                .toList();
    }
}
