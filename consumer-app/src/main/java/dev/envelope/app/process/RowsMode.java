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
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.pin.PinMismatch;
import dev.envelope.idempotency.store.pin.PinStore;
import dev.envelope.idempotency.store.place.DividedStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A row for each key, in the database. */
final class RowsMode extends Mode {

    private static final Logger log = LoggerFactory.getLogger(RowsMode.class);
    private static final int MOST_COUNTED = 10_000;

    private final Settings settings;
    private final ApplicationDatabase database;
    private final HandlerSpec<?, ?> handler;
    private final OutputsCheck outputs;
    private final Optional<KafkaCheck> kafka; // empty if there are no brokers
    private final boolean isOfTable;

    RowsMode(Settings settings, String instance, GivenUpFields givenUp) {
        this.settings = settings;
        isOfTable = settings.isOfTable();
        database = ApplicationDatabase.of(settings, instance);
        handler = HandlerWiring.resolve(settings, givenUp);
        boolean hasBrokers = settings.hasBrokers();
        if (!hasBrokers && handler.fold().emits()) {
            handler.close();
            throw emitsWithoutBrokers(settings);
        }
        kafka = hasBrokers ? Optional.of(ApplicationWiring.kafka(settings)) : Optional.empty();
        outputs = ApplicationWiring.outputs(settings, handler);
    }

    private static InvalidConfigException emitsWithoutBrokers(Settings settings) {
        ProblemCollector problems = new ProblemCollector();
        problems.error(
                settings.origin(HandlerKeys.HANDLER),
                HandlerKeys.HANDLER.name(),
                "emits, which needs brokers",
                "add bootstrap.servers");
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
        List<ServerCheck> fitting = fitting(PinStore::claim);
        if (!isOfTable) {
            fitting.add(ApplicationWiring.ownTopics(settings));
        }
        return List.of(answering(database.beforeStart(Instance.startId())), fitting);
    }

    @Override
    public List<List<ServerCheck>> asking() {
        List<ServerCheck> fitting = fitting(PinStore::compare);
        fitting.add(new StateCheck(database::someStates, handler.stateCodec()));
        return List.of(answering(database.asking()), fitting);
    }

    /** The servers, and the application's tables. */
    private List<ServerCheck> answering(ServerCheck tables) {
        List<ServerCheck> checks = new ArrayList<>();
        kafka.ifPresent(checks::add);
        checks.add(tables);
        return checks;
    }

    /** Whether what is there fits the settings. */
    private List<ServerCheck> fitting(
            BiFunction<PinStore, SortedMap<String, String>, List<PinMismatch>> asked) {
        List<ServerCheck> checks = new ArrayList<>();
        checks.add(
                database.unlessMoved(PinWiring.check(settings, database, this::partitions, asked)));
        if (isOfTable) {
            checks.add(database.table());
        }
        if (kafka.isPresent()) {
            checks.add(outputs);
        }
        return checks;
    }

    private Map<String, Integer> partitions() {
        return kafka.map(KafkaCheck::partitions).orElse(Map.of());
    }

    @Override
    String reading() {
        return isOfTable
                ? "table %s, %s"
                        .formatted(
                                settings.get(TableKeys.NAME),
                                Words.count(settings.find(SlotKeys.SLOTS).orElse(1), "slot"))
                : ApplicationWiring.reading(settings, partitions());
    }

    @Override
    Optional<String> remark() {
        return database.remark();
    }

    @Override
    OperatorStore operators() {
        return database.operators();
    }

    @Override
    Running open(ConsumerSettings engine, Operations operations) {
        DividedStore store = database.open(Instance.startId());
        Optional<OpenGateway> gateway = Optional.empty();
        try {
            if (kafka.isEmpty()) {
                warnOfOutputs(store);
            }
            EnvelopeApplication application =
                    new EnvelopeApplication(
                            ApplicationWiring.parts(
                                    settings,
                                    engine.withDivision(store.division()),
                                    handler,
                                    store,
                                    outputs,
                                    operations.telemetry()));
            if (!isOfTable) {
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
            operations.attach(application, handler.description(), store::pools, gateway);
            return new WithRows(application, store, gateway);
        } catch (RuntimeException e) {
            gateway.ifPresent(OpenGateway::close);
            store.close();
            throw e;
        }
    }

    /** Of a time when there were brokers. */
    private static void warnOfOutputs(DividedStore store) {
        try {
            long waiting =
                    store.slots().stream()
                            .mapToLong(it -> it.outputs().depth(MOST_COUNTED).outputs())
                            .sum();
            if (waiting > 0) {
                log.warn(
                        "{} wait in the database and are not sent, for no brokers are named: add"
                                + " bootstrap.servers",
                        Words.count(waiting, "output"));
            }
        } catch (UnavailableException e) {
            log.debug("nobody knows whether outputs wait: {}", Words.describe(e));
        }
    }

    @Override
    public void close() {
        handler.close();
    }

    /** The application, its store and its gateway. */
    private record WithRows(
            EnvelopeApplication application, DividedStore store, Optional<OpenGateway> gateway)
            implements Running {

        @Override
        public void begin() {
            application.start();
            gateway.ifPresent(OpenGateway::begin);
        }

        @Override
        public void whenSlotsMoved(Consumer<String> startAnew) {
            store.moves().whenElsewhere(startAnew);
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
