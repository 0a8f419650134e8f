package dev.envelope.app.handlers;

import dev.envelope.core.api.Deserializers;
import dev.envelope.core.fetch.DeserializedKeys;
import dev.envelope.idempotency.json.Brief;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.Deserializer;

/** Finds the deserializer of keys that the settings name and configures it. */
public final class KeyDeserializers {

    private static final String SETTING = "key.format";

    private KeyDeserializers() {}

    /**
     * A format of keys that asks deserializers of that class.
     *
     * @param config the settings {@code key.deserializer.*} without that prefix
     * @throws HandlerException if there is no such class, or it can't be used
     */
    public static DeserializedKeys of(
            String className, List<Path> path, Map<String, String> config) {
        HandlerClasses classes = HandlerClasses.on(path);
        Class<?> type = classes.find(className, SETTING);
        if (!Deserializer.class.isAssignableFrom(type)) {
            throw HandlerException.of(
                    SETTING,
                    "%s does not implement %s".formatted(className, Deserializer.class.getName()));
        }
        Supplier<Deserializer<?>> maker = () -> configured(classes, type, config);
        maker.get().close(); // to see here, and not at the first record, that it can be made
        return new DeserializedKeys(new Deserializers<Object>(maker, System::nanoTime));
    }

    private static Deserializer<?> configured(
            HandlerClasses classes, Class<?> type, Map<String, String> config) {
        Deserializer<?> made = (Deserializer<?>) classes.create(type, Map.of(), SETTING);
        try {
            made.configure(config, true);
            return made;
        } catch (RuntimeException e) {
            throw HandlerException.of(
                    SETTING,
                    "%s refuses its settings, key.deserializer.*: %s"
                            .formatted(type.getName(), Brief.of(e)));
        }
    }
}
