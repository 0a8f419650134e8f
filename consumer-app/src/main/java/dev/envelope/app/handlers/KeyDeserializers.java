package dev.envelope.app.handlers;

import dev.envelope.idempotency.json.Brief;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Deserializer;

/** Finds the deserializer of keys that the settings name and configures it. */
public final class KeyDeserializers {

    private static final String SETTING = "key.format";

    private KeyDeserializers() {}

    /**
     * A deserializer, ready to be used by one thread.
     *
     * @param config the settings {@code key.deserializer.*} without that prefix
     * @throws HandlerException if there is no such class, or it can't be used
     */
    public static Deserializer<?> of(
            String className, List<Path> path, Map<String, String> config) {
        HandlerClasses classes = HandlerClasses.on(path);
        Class<?> type = classes.find(className, SETTING);
        if (!Deserializer.class.isAssignableFrom(type)) {
            throw HandlerException.of(
                    SETTING,
                    "%s does not implement %s".formatted(className, Deserializer.class.getName()));
        }
        Deserializer<?> made = (Deserializer<?>) classes.create(type, Map.of(), SETTING);
        try {
            made.configure(config, true);
            return made;
        } catch (RuntimeException e) {
            throw HandlerException.of(
                    SETTING,
                    "%s refuses its settings, key.deserializer.*: %s"
                            .formatted(className, Brief.of(e)));
        }
    }
}
