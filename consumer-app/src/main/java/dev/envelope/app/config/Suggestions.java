package dev.envelope.app.config;

import dev.envelope.app.config.kafka.KafkaName;
import dev.envelope.app.config.kafka.OwnedSetting;
import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.problem.Nearest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Suggests what an unknown setting may have meant. */
final class Suggestions {

    /** The prefix of Kafka's own names in Spring Boot. */
    private static final Pattern OF_SPRING =
            Pattern.compile("spring\\.kafka\\.((consumer|producer|admin)\\.)?(properties\\.)?");

    /** Other names of Spring Boot's, where a setting of ours means the same. */
    private static final Map<String, Key<?>> SPRING =
            Map.of(
                    "spring.application.name", ReadKeys.APPLICATION_ID,
                    "spring.datasource.url", StoreKeys.URL,
                    "spring.datasource.username", StoreKeys.USER,
                    "spring.datasource.password", StoreKeys.PASSWORD,
                    "spring.kafka.listener.concurrency", LimitKeys.POOL_SIZE,
                    "server.port", OperationKeys.HTTP_LISTEN);

    private Suggestions() {}

    /** One hint: the setting for Kafka's own name, a similar name, or where to look. */
    static String forUnknown(String name) {
        String plain = KafkaName.dotted(OF_SPRING.matcher(name).replaceFirst(""));
        return Optional.<Key<?>>ofNullable(SPRING.get(name))
                .or(() -> Registry.find(plain))
                .map(Key::name)
                .map(Suggestions::question)
                .or(() -> OwnedSetting.hint(plain))
                .or(() -> KafkaName.keyFor(plain).map(Suggestions::question))
                .or(() -> Nearest.hint(name, candidates(name)))
                .orElse("all settings are described in docs/configuration.md");
    }

    private static String question(String right) {
        return "did you mean " + right + "?";
    }

    private static List<String> candidates(String name) {
        int dot = name.lastIndexOf('.');
        String first = name.substring(0, Math.max(0, dot));
        String last = name.substring(dot + 1);
        return Stream.concat(
                        Registry.names().stream(),
                        Registry.prefixes().stream()
                                .filter(prefix -> isNear(first, prefix))
                                .map(prefix -> prefix + last)
                                .filter(Suggestions::mayBeSet))
                .toList();
    }

    /** The names of places are anybody's: with them any name would be near. */
    private static boolean isNear(String first, String prefix) {
        String its = prefix.substring(0, prefix.length() - 1);
        boolean isOfPlaces =
                Family.PLACE.prefix().equals(prefix) || Family.PLACE_SLOTS.prefix().equals(prefix);
        return !isOfPlaces || !Nearest.to(first, List.of(its)).isEmpty();
    }

    private static boolean mayBeSet(String name) {
        return !name.startsWith(Registry.KAFKA) || KafkaName.of(name).isKnown();
    }
}
