package dev.envelope.app.process;

import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Setting;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.SlotKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.key.TableKeys;
import dev.envelope.app.config.problem.ProblemCollector;
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
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.pin.PinMismatch;
import dev.envelope.idempotency.store.pin.PinStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A row for each key, in the database. */
final class RowsMode extends Mode {

    private final Settings settings;
    private final ApplicationDatabase database;
    private final HandlerSpec<?, ?> handler;
    private final OutputsCheck outputs;
    private final @Nullable KafkaCheck kafka; // null where a table is read

    RowsMode(Settings settings, String instance, GivenUpFields givenUp) {
        this.settings = settings;
        database = ApplicationDatabase.of(settings, instance);
        handler = HandlerWiring.resolve(settings, givenUp);
        kafka = settings.isOfTable() ? null : ApplicationWiring.kafka(settings);
        if (settings.isOfTable() && handler.fold().emits()) {
            handler.close();
            throw emitsFromTable(settings);
        }
        outputs = ApplicationWiring.outputs(settings, handler);
    }

    private static InvalidConfigException emitsFromTable(Settings settings) {
        ProblemCollector problems = new ProblemCollector();
        problems.error(
                settings.origin(HandlerKeys.HANDLER),
                HandlerKeys.HANDLER.name(),
                "emits, which needs a broker, and a table is read without one",
                "a handler that implements Fold, or source=kafka");
        return new InvalidConfigException(problems.problems());
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
    List<List<ServerCheck>> servers() {
        ServerCheck tables = database.beforeStart(Instance.startId());
        return kafka == null
                ? List.of(List.of(tables), List.of(pins(PinStore::claim), database.table()))
                : List.of(
                        List.of(kafka, tables),
                        List.of(
                                pins(PinStore::claim),
                                outputs,
                                ApplicationWiring.ownTopics(settings)));
    }

    private ServerCheck pins(
            BiFunction<PinStore, SortedMap<String, String>, List<PinMismatch>> asked) {
        return PinWiring.check(
                settings, database, kafka == null ? Map::of : kafka::partitions, asked);
    }

    @Override
    public List<List<ServerCheck>> asking() {
        ServerCheck states = new StateCheck(database::someStates, handler.stateCodec());
        return kafka == null
                ? List.of(
                        List.of(database.asking()),
                        List.of(pins(PinStore::compare), database.table(), states))
                : List.of(
                        List.of(kafka, database.asking()),
                        List.of(pins(PinStore::compare), outputs, states));
    }

    @Override
    String reading() {
        return kafka == null
                ? "table %s, %s"
                        .formatted(
                                settings.get(TableKeys.NAME),
                                Words.count(settings.find(SlotKeys.SLOTS).orElse(1), "slot"))
                : ApplicationWiring.reading(settings, kafka.partitions());
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
            if (kafka != null) {
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
            }
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
