package dev.envelope.app.handlers;

import dev.envelope.idempotency.json.Brief;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * A deserializer that the settings name. It is called with its own class loader as the thread's
 * context class loader, in which those of Avro and Protobuf look up classes by name.
 */
final class OwnDeserializer implements Deserializer<Object> {

    private final Deserializer<?> own;
    private final ClassLoader loader;

    private OwnDeserializer(Deserializer<?> own) {
        this.own = own;
        this.loader = own.getClass().getClassLoader();
    }

    /**
     * A supplier of configured deserializers. One is made here, so that errors are found at once.
     *
     * @param config what each is configured with
     * @throws HandlerException if the class is no deserializer, or refuses its settings
     */
    static Supplier<Deserializer<Object>> maker(
            HandlerClasses classes,
            Class<?> type,
            Map<String, String> config,
            boolean isKey,
            String setting) {
        if (!Deserializer.class.isAssignableFrom(type)) {
            throw HandlerException.of(
                    setting,
                    "%s does not implement %s"
                            .formatted(type.getName(), Deserializer.class.getName()));
        }
        Supplier<Deserializer<Object>> maker =
                () -> {
                    var made = (Deserializer<?>) classes.create(type, Map.of(), setting);
                    OwnDeserializer configured = new OwnDeserializer(made);
                    try {
                        configured.within(() -> made.configure(config, isKey));
                        return configured;
                    } catch (RuntimeException e) {
                        throw HandlerException.of(
                                setting,
                                "%s refuses its settings, %s.deserializer.*: %s"
                                        .formatted(
                                                type.getName(),
                                                isKey ? "key" : "value",
                                                Brief.of(e)));
                    }
                };
        maker.get().close();
        return maker;
    }

    @Override
    public @Nullable Object deserialize(String topic, byte @Nullable [] data) {
        return HandlerClasses.within(loader, () -> own.deserialize(topic, data));
    }

    @Override
    public @Nullable Object deserialize(String topic, Headers headers, byte @Nullable [] data) {
        return HandlerClasses.within(loader, () -> own.deserialize(topic, headers, data));
    }

    @Override
    public void close() {
        within(own::close);
    }

    private void within(Runnable call) {
        HandlerClasses.within(
                loader,
                () -> {
                    call.run();
                    return true;
                });
    }
}
