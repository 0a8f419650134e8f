package dev.envelope.app.wiring;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.kafka.Client;
import dev.envelope.app.config.key.FailureKeys;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OutboxKeys;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.handlers.HandlerSpec;
import dev.envelope.app.start.KafkaCheck;
import dev.envelope.app.tracing.TracedHandler;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Telemetry;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.DeadLetterHeaders;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.outbox.KafkaDelivery;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.store.Store;
import io.opentelemetry.api.GlobalOpenTelemetry;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Makes the parts of the application, and the check of its cluster, from the settings. */
public final class ApplicationWiring {

    private ApplicationWiring() {}

    /** The parts of the application; its handler makes spans, where there is tracing. */
    public static EnvelopeApplication.Parts parts(
            Settings settings,
            ConsumerSettings engine,
            HandlerSpec<?, ?> spec,
            Store store,
            Telemetry telemetry) {
        return new EnvelopeApplication.Parts(
                engine,
                HandlerWiring.fold(settings, spec),
                store,
                delivery(settings),
                limits(settings),
                telemetry,
                handler ->
                        TracedHandler.around(
                                handler,
                                GlobalOpenTelemetry.get(),
                                settings.get(ReadKeys.APPLICATION_ID)));
    }

    private static EnvelopeApplication.Limits limits(Settings settings) {
        return new EnvelopeApplication.Limits(
                settings.get(LimitKeys.CACHE_MAX_BYTES),
                new SetAsideLimits.Bounds(
                        settings.get(FailureKeys.PARKED_MAX_PER_KEY),
                        settings.get(FailureKeys.PARKED_MAX_PER_PARTITION),
                        settings.get(FailureKeys.STOP_SHARE),
                        settings.get(FailureKeys.STOP_LEAST)),
                new OutboxRoom.Limits(
                        settings.get(OutboxKeys.MAX_ROWS), settings.get(OutboxKeys.MAX_AGE)),
                settings.get(StoreKeys.DELETED_KEYS_RETENTION),
                settings.get(StoreKeys.AUDIT_RETENTION));
    }

    /** The outbox's delivery, whatever the policy is now: there may be rows of an earlier one. */
    private static KafkaDelivery delivery(Settings settings) {
        String servers = EngineWiring.servers(settings);
        Map<String, Object> producer = new HashMap<>(settings.kafka().of(Client.PRODUCER));
        producer.put("bootstrap.servers", servers);
        return new KafkaDelivery(producer, EngineWiring.admin(settings), servers);
    }

    /** The maker of dead letters, if the settings want them. */
    static Optional<DeadLetters> deadLetters(Settings settings) {
        return deadLetterTopic(settings)
                .map(
                        topic ->
                                new DeadLetters(
                                        topic,
                                        settings.get(ReadKeys.APPLICATION_ID),
                                        DeadLetterHeaders.valueOf(
                                                settings.get(OutboxKeys.HEADERS).name())));
    }

    /** The topic for dead letters, if the settings want them. */
    static Optional<String> deadLetterTopic(Settings settings) {
        return settings.get(FailureKeys.ON_FAILURE) == FailurePolicy.Last.DEAD_LETTER
                ? settings.find(OutboxKeys.TOPIC)
                : Optional.empty();
    }

    /** The check of the cluster before a start. */
    public static KafkaCheck kafka(Settings settings) {
        return new KafkaCheck(
                EngineWiring.admin(settings),
                settings.get(ReadKeys.TOPICS),
                settings.get(ReadKeys.APPLICATION_ID),
                deadLetterTopic(settings));
    }
}
