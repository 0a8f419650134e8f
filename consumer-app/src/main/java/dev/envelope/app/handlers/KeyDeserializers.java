package dev.envelope.app.handlers;

import dev.envelope.core.decode.Deserializers;
import dev.envelope.core.key.DeserializedKeys;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

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
        return new DeserializedKeys(
                new Deserializers<Object>(
                        OwnDeserializer.maker(classes, type, config, true, SETTING),
                        System::nanoTime));
    }
}
