package dev.envelope.app.process;

import dev.envelope.app.config.HeldSettings;
import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.GatewayKeys;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.gateway.GatewayMeters;
import dev.envelope.app.gateway.OpenGateway;
import dev.envelope.app.handlers.expression.GivenUpFields;
import dev.envelope.app.http.AddressTakenException;
import dev.envelope.app.logging.LogLevels;
import dev.envelope.app.ops.Gauges;
import dev.envelope.app.ops.Meters;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.api.Api;
import dev.envelope.app.ops.api.Engine;
import dev.envelope.app.ops.api.Live;
import dev.envelope.app.ops.api.Rows;
import dev.envelope.app.ops.http.OperationsServer;
import dev.envelope.app.ops.live.History;
import dev.envelope.app.ops.live.Watch;
import dev.envelope.app.ops.recent.Timeline;
import dev.envelope.app.wiring.HandlerWiring;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.Recurring;
import dev.envelope.core.api.Telemetry;
import dev.envelope.idempotency.Application;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.store.PoolUse;
import dev.envelope.idempotency.store.operator.OperatorStore;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;

/**
 * The HTTP server, and the status, metrics and reload behind it; open from the start to the end.
 *
 * <p>Threads: thread-safe (its parts are).
 */
final class Operations implements AutoCloseable {

    private static final Duration SAMPLE_EVERY = Duration.ofSeconds(1);

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final Timeline timeline = new Timeline(Clock.systemUTC());
    private final Meters meters = new Meters(registry, timeline);
    private final History history = new History();
    private final Gauges gauges = new Gauges(registry);
    private final GatewayMeters ofGateway = new GatewayMeters(registry);
    private final StatusSource status;
    private final Optional<OperationsServer> server;
    private final Live live;
    private final Rows rows;
    private final Watch watch;
    private final HeldSettings held;
    private final Knobs knobs = new Knobs();
    private final Reload reload;
    private volatile List<Recurring> samplings = List.of();
    private volatile Optional<Engine> engine = Optional.empty();
    private volatile Optional<OpenGateway> gateway = Optional.empty();

    /**
     * Starts the HTTP server, if the settings want one.
     *
     * @param source reads the settings again
     * @param store for the API's calls to the database
     * @param givenUp changed when they are read again
     * @throws InvalidConfigException if the address can't be listened on
     */
    Operations(
            Settings settings,
            Supplier<Settings> source,
            ProcessStatus.Identity identity,
            OperatorStore store,
            GivenUpFields givenUp) {
        this.held = new HeldSettings(settings.effective());
        this.reload =
                new Reload(
                        settings,
                        source,
                        takers(givenUp),
                        change -> timeline.add(Timeline.Kind.CHANGE, change),
                        held);
        this.status = new StatusSource(identity, meters, settings);
        this.rows = new Rows(store);
        this.live = new Live(status, () -> engine, rows, meters, history, timeline);
        Api api = new Api(status, () -> engine, rows, held, live, timeline, () -> reload.get());
        this.server =
                settings.get(OperationKeys.HTTP_LISTEN)
                        .map(address -> open(settings, address, api));
        gauges.ofProcess(status);
        collections.bindTo(registry);
        watch = new Watch(status, meters, history, timeline, Clock.systemUTC());
    }

    private Map<Key<?>, Consumer<Settings>> takers(GivenUpFields givenUp) {
        return Map.of(
                LimitKeys.POOL_SIZE,
                next -> knobs.resize(next.get(LimitKeys.POOL_SIZE)),
                LimitKeys.KEY_MAX_RATE,
                next -> knobs.limitKeys(next.get(LimitKeys.KEY_MAX_RATE)),
                HandlerKeys.HANDLER_DROP,
                next -> givenUp.are(HandlerWiring.givenUp(next)),
                OperationKeys.LOG_LEVEL,
                next -> LogLevels.set(next.get(OperationKeys.LOG_LEVEL).name()),
                OperationKeys.HTTP_TOKEN,
                this::admit,
                OperationKeys.HTTP_TOKEN_FORMER,
                this::admit,
                GatewayKeys.TOKEN,
                this::admitToGateway,
                GatewayKeys.TOKEN_FORMER,
                this::admitToGateway);
    }

    private OperationsServer open(Settings settings, HostPort address, Api api) {
        try {
            return OperationsServer.open(address, tokens(settings), status, registry::scrape, api);
        } catch (AddressTakenException e) {
            ProblemCollector problems = new ProblemCollector();
            problems.error(
                    settings.origin(OperationKeys.HTTP_LISTEN),
                    OperationKeys.HTTP_LISTEN.name(),
                    String.valueOf(e.getMessage()),
                    "set another address, http.listen=127.0.0.1:0 for any free port, or"
                            + " http.listen=none");
            throw new InvalidConfigException(problems.problems());
        }
    }

    /** The tokens that these settings accept. */
    private static List<Secret> tokens(Settings settings) {
        return Stream.of(OperationKeys.HTTP_TOKEN, OperationKeys.HTTP_TOKEN_FORMER)
                .flatMap(key -> settings.find(key).stream())
                .toList();
    }

    /** Accepts the tokens of these settings, and no others. */
    private void admit(Settings next) {
        server.ifPresent(it -> it.admit(tokens(next)));
    }

    private void admitToGateway(Settings next) {
        gateway.ifPresent(it -> it.admit(next));
    }

    /** Reports on this application, its store and its gateway from now on. */
    void attach(
            EnvelopeApplication application,
            String description,
            Supplier<List<PoolUse>> pools,
            Optional<OpenGateway> its) {
        gateway = its;
        attach(
                application,
                description,
                () ->
                        Stream.of(
                                        application.loops(),
                                        its.map(OpenGateway::loops).orElse(List.of()))
                                .flatMap(List::stream)
                                .toList(),
                pools);
        gauges.ofOutbox(application::outbox);
        gauges.ofOutputs(application::outputs);
        gauges.ofTimers(application::timers);
        gauges.ofConnections(pools);
        gauges.ofPlaces(application::places);
        gauges.ofActors(application::cache);
    }

    /** Reports on an application without rows from now on. */
    void attach(Application application, String description, Supplier<List<PoolUse>> pools) {
        attach(application, description, application::loops, pools);
        if (!pools.get().isEmpty()) {
            gauges.ofConnections(pools);
        }
    }

    /** A process that waits for a slot reads nothing, and asks no broker. */
    private static boolean isReading(Application application) {
        return application.slots().isEmpty()
                || !application.consumer().status().partitions().isEmpty();
    }

    private void attach(
            Application application,
            String description,
            Supplier<List<Recurring.Status>> loops,
            Supplier<List<PoolUse>> pools) {
        EnvelopeConsumer consumer = application.consumer();
        BrokerSilence brokers =
                new BrokerSilence(
                        consumer::clientMetrics, () -> isReading(application), System::nanoTime);
        Strain strain =
                new Strain(
                        consumer::clientMetrics, pools, Strain::collectingMillis, System::nanoTime);
        samplings =
                List.of(
                        sampling("broker-silence", brokers::sample),
                        sampling("strain", strain::sample));
        status.attach(application, loops, description, brokers, strain);
        Engine running = Engine.of(consumer);
        knobs.attach(running);
        engine = Optional.of(running);
        gauges.ofKafka(consumer::clientMetrics);
        gauges.ofLoops(loops);
    }

    private static Recurring sampling(String name, Runnable sample) {
        return Recurring.start(
                name,
                SAMPLE_EVERY,
                () -> {
                    sample.run();
                    return false;
                });
    }

    /** Reads the settings again. */
    void reload() {
        reload.get();
    }

    /** What a gateway tells of itself. */
    GatewayMeters ofGateway() {
        return ofGateway;
    }

    /** What is known here of a key and its partition, if a message of it is not handled yet. */
    List<String> findings(String key, TopicPartition partition) {
        return live.findings(key, partition);
    }

    Telemetry telemetry() {
        return meters;
    }

    StatusSource status() {
        return status;
    }

    /** The address of the HTTP server; {@code off} if there is none. */
    String url() {
        return server.map(OperationsServer::url).orElse("off");
    }

    @Override
    public void close() {
        watch.close();
        live.close();
        server.ifPresent(OperationsServer::close);
        rows.close();
        samplings.forEach(Recurring::close);
        collections.close();
        registry.close();
    }
}
