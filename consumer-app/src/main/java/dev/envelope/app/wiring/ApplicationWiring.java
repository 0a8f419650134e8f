package dev.envelope.app.wiring;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.handlers.HandlerSpec;
import dev.envelope.app.tracing.TracedHandler;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.Telemetry;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.store.Store;
import io.opentelemetry.api.GlobalOpenTelemetry;

/**
 * From the settings to the parts of a whole application.
 *
 * <p>Threads: stateless.
 */
public final class ApplicationWiring {

    private ApplicationWiring() {}

    /** What the application is made of; its handler's spans go wherever somebody traces. */
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
                OutboxWiring.delivery(settings),
                new EnvelopeApplication.Limits(
                        settings.get(LimitKeys.CACHE_MAX_BYTES),
                        HandlerWiring.setAside(settings),
                        OutboxWiring.room(settings),
                        settings.get(StoreKeys.DELETED_KEYS_RETENTION),
                        settings.get(StoreKeys.AUDIT_RETENTION)),
                telemetry,
                handler ->
                        TracedHandler.around(
                                handler,
                                GlobalOpenTelemetry.get(),
                                settings.get(ReadKeys.APPLICATION_ID)));
    }
}
