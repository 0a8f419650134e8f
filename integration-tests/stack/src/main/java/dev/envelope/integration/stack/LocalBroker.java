package dev.envelope.integration.stack;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * A real broker and its controller in one process.
 *
 * <p>Sessions are short, so that a killed broker or a killed consumer is missed after one to two
 * seconds.
 *
 * <p>Threads: guarded by this.
 */
public final class LocalBroker implements Server {

    /** A file of the workspace that may hold the keys by which the broker checks tokens. */
    public static final String TOKEN_KEYS = "token-keys.json";

    private static final String NAME = "broker";
    private static final Duration READY_WITHIN = Duration.ofSeconds(60);
    private static final Duration STOPPED_WITHIN = Duration.ofSeconds(40);

    private final Workspace workspace;
    private final int port = Ports.free();
    private final Path storage;
    private final Path properties;
    private final String clusterId = Uuid.randomUuid().toString();
    private @Nullable ChildProcess process;

    /**
     * A second address of the broker, at which it says that it is to be found elsewhere: at that of
     * a proxy, which clients then never leave.
     *
     * @param port where it listens
     * @param advertisedPort what it tells those who have come in there
     */
    public record Detour(int port, int advertisedPort) {}

    /**
     * A broker that is not started yet.
     *
     * @param overrides broker settings that replace ours or are added to them; one that begins with
     *     a comma is put behind ours
     */
    public LocalBroker(Workspace workspace, Map<String, String> overrides) {
        this(workspace, overrides, null);
    }

    /** The same with a second way to it, or null. */
    public LocalBroker(
            Workspace workspace, Map<String, String> overrides, @Nullable Detour detour) {
        this.workspace = workspace;
        this.storage = workspace.folder().resolve("broker");
        this.properties = workspace.folder().resolve("broker.properties");
        Map<String, String> settings = new TreeMap<>(settings(Ports.free()));
        if (detour != null) {
            settings.merge("listeners", ",DETOUR://127.0.0.1:" + detour.port(), String::concat);
            settings.merge("listener.security.protocol.map", ",DETOUR:PLAINTEXT", String::concat);
            settings.put(
                    "advertised.listeners",
                    "PLAINTEXT://"
                            + bootstrapServers()
                            + ",DETOUR://127.0.0.1:"
                            + detour.advertisedPort());
        }
        overrides.forEach(
                (name, value) ->
                        settings.merge(
                                name,
                                value,
                                (ours, more) -> more.startsWith(",") ? ours + more : more));
        write(settings);
    }

    /** Starts one that lists the classes it loads in that file, and ends it. */
    static void rehearse(Path classes) {
        try (Workspace workspace = Workspace.open()) {
            LocalBroker broker = new LocalBroker(workspace, Map.of());
            broker.start(broker.command().option(SharedClasses.LIST + classes));
            broker.stop();
        }
    }

    /** What clients are given to find it. */
    public String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    /** Where its logs are, a folder for each partition. */
    public Path storage() {
        return storage;
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public synchronized ChildProcess process() {
        if (process == null) {
            throw new IllegalStateException("the broker has not been started");
        }
        return process;
    }

    @Override
    public void start() {
        start(command());
    }

    private synchronized void start(JavaCommand command) {
        if (process != null && process.isAlive()) {
            throw new IllegalStateException("the broker runs already");
        }
        ChildProcess started = workspace.start(NAME, command);
        process = started;
        new BrokerReadiness(started, port).await(READY_WITHIN);
    }

    @Override
    public void stop() {
        process().stop(Signal.TERM, STOPPED_WITHIN);
    }

    private JavaCommand command() {
        String classPath = BrokerClassPath.read() + File.pathSeparator + ModuleFolder.classes();
        return JavaCommand.of(BrokerMain.class)
                .onClassPath(classPath)
                .heap("384m")
                .option("-XX:+ExitOnOutOfMemoryError")
                .with(
                        "org.apache.kafka.sasl.oauthbearer.allowed.urls",
                        workspace.folder().resolve(TOKEN_KEYS).toUri().toString())
                .with("org.slf4j.simpleLogger.defaultLogLevel", "warn")
                .with("org.slf4j.simpleLogger.showDateTime", "true")
                .with("org.slf4j.simpleLogger.dateTimeFormat", "HH:mm:ss.SSS")
                .arguments(properties.toString(), storage.toString(), clusterId);
    }

    private void write(Map<String, String> settings) {
        String lines =
                settings.entrySet().stream()
                        .map(setting -> setting.getKey() + "=" + setting.getValue() + "\n")
                        .collect(Collectors.joining());
        try {
            Files.writeString(properties, lines);
        } catch (IOException e) {
            throw new UncheckedIOException("could not write " + properties, e);
        }
    }

    private Map<String, String> settings(int controllerPort) {
        String controller = "127.0.0.1:" + controllerPort;
        return Map.ofEntries(
                Map.entry("process.roles", "broker,controller"),
                Map.entry("node.id", "1"),
                Map.entry("controller.listener.names", "CONTROLLER"),
                Map.entry("controller.quorum.voters", "1@" + controller),
                Map.entry(
                        "listeners",
                        "PLAINTEXT://" + bootstrapServers() + ",CONTROLLER://" + controller),
                Map.entry(
                        "listener.security.protocol.map",
                        "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT"),
                Map.entry("log.dirs", storage.toString()),
                Map.entry("auto.create.topics.enable", "false"),
                // A killed broker may come back once its old session has run out.
                Map.entry("broker.session.timeout.ms", "1500"),
                Map.entry("broker.heartbeat.interval.ms", "300"),
                // The same for a killed consumer, in either group protocol.
                Map.entry("group.initial.rebalance.delay.ms", "0"),
                Map.entry("group.min.session.timeout.ms", "1000"),
                Map.entry("group.consumer.min.session.timeout.ms", "1000"),
                Map.entry("group.consumer.session.timeout.ms", "2000"),
                Map.entry("group.consumer.min.heartbeat.interval.ms", "200"),
                Map.entry("group.consumer.heartbeat.interval.ms", "300"),
                // One node, and small.
                Map.entry("offsets.topic.replication.factor", "1"),
                Map.entry("offsets.topic.num.partitions", "4"),
                Map.entry("transaction.state.log.replication.factor", "1"),
                Map.entry("transaction.state.log.min.isr", "1"),
                Map.entry("transaction.state.log.num.partitions", "4"),
                Map.entry("share.coordinator.state.topic.replication.factor", "1"),
                Map.entry("share.coordinator.state.topic.min.isr", "1"),
                Map.entry("log.cleaner.dedupe.buffer.size", "4194304"));
    }
}
