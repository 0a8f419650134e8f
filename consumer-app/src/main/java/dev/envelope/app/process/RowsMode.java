package dev.envelope.app.process;

import dev.envelope.app.config.Setting;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.database.ApplicationDatabase;
import dev.envelope.app.gateway.OpenGateway;
import dev.envelope.app.handlers.HandlerSpec;
import dev.envelope.app.handlers.expression.GivenUpFields;
import dev.envelope.app.start.KafkaCheck;
import dev.envelope.app.start.OutputsCheck;
import dev.envelope.app.start.ServerCheck;
import dev.envelope.app.start.StateCheck;
import dev.envelope.app.wiring.ApplicationWiring;
import dev.envelope.app.wiring.HandlerWiring;
import dev.envelope.app.wiring.PinWiring;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.pin.PinStore;
import java.util.List;
import java.util.Optional;

/** A row for each key, in the database. */
final class RowsMode extends Mode {

    private final Settings settings;
    private final ApplicationDatabase database;
    private final HandlerSpec<?, ?> handler;
    private final OutputsCheck outputs;

    RowsMode(Settings settings, String instance, GivenUpFields givenUp) {
        this.settings = settings;
        database = ApplicationDatabase.of(settings, instance);
        handler = HandlerWiring.resolve(settings, givenUp);
        outputs = ApplicationWiring.outputs(settings, handler);
    }

    @Override
    public String handler() {
        return handler.description();
    }

    @Override
    String database() {
        return "%s, schema %s, %s connections, cache %s"
                .formatted(
                        settings.get(StoreKeys.URL),
                        settings.get(StoreKeys.SCHEMA),
                        settings.get(StoreKeys.CONNECTIONS),
                        settings.effective(LimitKeys.CACHE_MAX_BYTES.name())
                                .map(Setting::shown)
                                .orElse("default"));
    }

    @Override
    List<List<ServerCheck>> servers(KafkaCheck kafka) {
        return List.of(
                List.of(kafka, database.beforeStart(Instance.startId())),
                List.of(
                        PinWiring.check(settings, database, kafka, PinStore::claim),
                        outputs,
                        ApplicationWiring.ownTopics(settings)));
    }

    @Override
    public List<List<ServerCheck>> asking(KafkaCheck kafka) {
        return List.of(
                List.of(kafka, database.asking()),
                List.of(
                        PinWiring.check(settings, database, kafka, PinStore::compare),
                        outputs,
                        new StateCheck(database::someStates, handler.stateCodec())));
    }

    @Override
    OperatorStore operators() {
        return database.operators();
    }

    @Override
    Running open(ConsumerSettings engine, Operations operations) {
        Store store = database.open(Instance.startId());
        Optional<OpenGateway> gateway = Optional.empty();
        try {
            EnvelopeApplication application =
                    new EnvelopeApplication(
                            ApplicationWiring.parts(
                                    settings,
                                    engine,
                                    handler,
                                    store,
                                    outputs,
                                    operations.telemetry()));
            gateway =
                    OpenGateway.of(
                            settings,
                            new OpenGateway.Parts(
                                    engine,
                                    store,
                                    ApplicationWiring.brokers(settings),
                                    operations.ofGateway(),
                                    application,
                                    operations::findings));
            operations.attach(application, handler.description(), store, gateway);
            return new WithRows(application, store, gateway);
        } catch (RuntimeException e) {
            gateway.ifPresent(OpenGateway::close);
            store.close();
            throw e;
        }
    }

    @Override
    public void close() {
        handler.close();
    }

    /** The application, its store and its gateway. */
    private record WithRows(
            EnvelopeApplication application, Store store, Optional<OpenGateway> gateway)
            implements Running {

        @Override
        public void begin() {
            application.start();
            gateway.ifPresent(OpenGateway::begin);
        }

        @Override
        public void end() {
            gateway.ifPresent(OpenGateway::end);
        }

        @Override
        public void close() {
            try {
                gateway.ifPresent(OpenGateway::close);
            } finally {
                store.close();
            }
        }
    }
}
