package dev.envelope.app.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.envelope.app.config.key.ReadKeys.KeyFormat;
import dev.envelope.app.config.key.ReadKeys.ValueFormat;
import dev.envelope.app.config.value.Choice;
import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.gateway.EntityKeys.EntityKey;
import dev.envelope.app.gateway.peer.Peers;
import dev.envelope.core.key.KeyFormats;
import dev.envelope.core.key.RowKeys;
import dev.envelope.idempotency.command.Command;
import dev.envelope.idempotency.command.Entity;
import dev.envelope.idempotency.command.EntityReads.Read;
import dev.envelope.idempotency.command.EntityReads.Rows;
import dev.envelope.idempotency.command.LogPosition;
import dev.envelope.idempotency.command.Outcome;
import dev.envelope.idempotency.directory.RowsInMemory;
import dev.envelope.idempotency.store.directory.DirectoryStore.Claim;
import dev.envelope.idempotency.store.directory.DirectoryStore.Owner;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/** A gateway's server, with an application behind it that does what a test says. */
final class GatewayBench implements Entities, OwnerReads.Homes, AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(2);
    static final LogPosition AT = new LogPosition("payments", 3, 4711);

    /** A command that came. */
    record Came(Command command, Duration time) {}

    final List<Came> commands = new CopyOnWriteArrayList<>();
    final List<Collection<String>> reads = new CopyOnWriteArrayList<>();
    final List<CompletableFuture<?>> overs = new CopyOnWriteArrayList<>();
    final Map<String, Entity> rows = new TreeMap<>();
    final MeterRegistry registry = new SimpleMeterRegistry();
    volatile Function<Command, CompletableFuture<Outcome>> outcome =
            command -> CompletableFuture.completedFuture(new Outcome.Accepted(AT));
    volatile CompletableFuture<Read> read = new CompletableFuture<>();
    volatile @Nullable RuntimeException readFails;
    volatile Set<String> ofAwayPlace = Set.of();

    /** What this process has in memory, by key. */
    final Map<String, RowsInMemory.Found> memory = new ConcurrentHashMap<>();

    /** By key; those without one have no partition that anybody owns. */
    final Map<String, Owner> owners = new ConcurrentHashMap<>();

    volatile boolean areBrokersThere = true;
    final Peers peers;

    private final HttpClient client = HttpClient.newHttpClient();
    private final GatewayServer server;

    private GatewayBench(
            GatewayServer.Limits limits,
            List<Secret> tokens,
            SslContextFactory.@Nullable Server tls)
            throws Exception {
        EntityKeys keys =
                new EntityKeys(
                        "payments",
                        KeyFormat.STRING,
                        new RowKeys(KeyFormats.string(), RowKeys.Scope.APPLICATION));
        Waits waits = new Waits(Duration.ofSeconds(30));
        peers = new Peers(PATIENCE, tokens.stream().findFirst(), () -> null);
        server =
                GatewayServer.open(
                        new HostPort("127.0.0.1", 0),
                        tokens,
                        new GatewayHandler.Apis(
                                keys,
                                new CommandsApi(
                                        this,
                                        new ValueCheck(new Choice.BuiltIn<>(ValueFormat.JSON)),
                                        List.of(),
                                        waits,
                                        (key, partition) ->
                                                List.of(key + " waits in " + partition)),
                                new ReadsApi(
                                        this,
                                        keys,
                                        waits,
                                        new OwnerReads(this, peers, limits.part()),
                                        ReadsApi.From.DATABASE)),
                        limits,
                        new GatewayMeters(registry),
                        tls);
    }

    /** With room for a few callers, and bodies of 64 KiB. */
    static GatewayBench open(Secret... tokens) throws Exception {
        return open(new GatewayServer.Limits(20, 5 << 20, 64 << 10), null, tokens);
    }

    static GatewayBench open(
            GatewayServer.Limits limits, SslContextFactory.@Nullable Server tls, Secret... tokens)
            throws Exception {
        GatewayBench bench = new GatewayBench(limits, List.of(tokens), tls);
        bench.server.begin();
        return bench;
    }

    GatewayServer server() {
        return server;
    }

    int port() {
        return URI.create(server.url()).getPort();
    }

    /** From now on each command gets the outcome that is completed here, in the order they came. */
    List<CompletableFuture<Outcome>> holdOutcomes() {
        List<CompletableFuture<Outcome>> outcomes = new CopyOnWriteArrayList<>();
        outcome =
                command -> {
                    CompletableFuture<Outcome> its = new CompletableFuture<>();
                    outcomes.add(its);
                    return its;
                };
        return outcomes;
    }

    @Override
    public CompletableFuture<Outcome> send(Command command, Duration wait) {
        commands.add(new Came(command, wait));
        return outcome.apply(command);
    }

    @Override
    public CompletableFuture<Rows> read(Collection<String> keys, CompletableFuture<?> over) {
        reads.add(keys);
        overs.add(over);
        if (readFails != null) {
            return CompletableFuture.failedFuture(readFails);
        }
        Map<String, Entity> found = new TreeMap<>(rows);
        found.keySet().retainAll(keys);
        Set<String> unanswered = new HashSet<>(keys);
        unanswered.retainAll(ofAwayPlace);
        found.keySet().removeAll(unanswered);
        return CompletableFuture.completedFuture(
                new Rows(
                        found,
                        unanswered,
                        unanswered.isEmpty() ? Set.of() : Set.of("b"),
                        unanswered.isEmpty()));
    }

    @Override
    public CompletableFuture<Read> read(
            String key, LogPosition atLeast, Duration wait, CompletableFuture<?> over) {
        overs.add(over);
        reads.add(List.of(key, atLeast.toString(), wait.toString()));
        return read;
    }

    @Override
    public Optional<TopicPartition> of(EntityKey key) {
        return areBrokersThere
                ? Optional.of(new TopicPartition("payments", key.row().length()))
                : Optional.empty();
    }

    @Override
    public Optional<Owner> owner(TopicPartition partition) {
        return owners.entrySet().stream()
                .filter(it -> it.getKey().length() == partition.partition())
                .map(Map.Entry::getValue)
                .findFirst();
    }

    @Override
    public Optional<RowsInMemory.Found> find(
            EntityKey key, TopicPartition home, @Nullable LogPosition atLeast) {
        return Optional.ofNullable(memory.get(key.row()))
                .filter(
                        it ->
                                atLeast == null
                                        || it.nextOffsets()
                                                        .getOrDefault(
                                                                new TopicPartition(
                                                                        atLeast.topic(),
                                                                        atLeast.partition()),
                                                                0L)
                                                > atLeast.offset());
    }

    /** A row in memory with this state. */
    static RowsInMemory.Found inMemory(String state) {
        return new RowsInMemory.Found(
                state.getBytes(UTF_8),
                7,
                Map.of(new TopicPartition("payments", 3), 4712L),
                Duration.ofMillis(250));
    }

    /** The gateway of a process that owns a partition. */
    static Owner owner(String address) {
        return new Owner("web-2", false, new Claim(address, 5, Set.of()));
    }

    /** A row with this state. */
    static Entity entity(@Nullable String state) {
        return new Entity(
                state == null ? null : state.getBytes(UTF_8),
                7,
                Map.of(new TopicPartition("payments", 3), 4712L),
                Instant.parse("2026-11-23T03:00:00.120Z"),
                Duration.ofMillis(250));
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(server.url() + path))
                .timeout(Duration.ofSeconds(40));
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(request(path));
    }

    HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return send(request(path).POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    HttpResponse<String> send(HttpRequest.Builder request)
            throws IOException, InterruptedException {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    CompletableFuture<HttpResponse<String>> sendLater(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** Sends these lines as they are, and reads until the server ends the connection. */
    String raw(String... lines) throws IOException {
        try (Socket socket = connect()) {
            say(socket, String.join("\r\n", lines));
            return rest(socket);
        }
    }

    static void say(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(UTF_8));
        socket.getOutputStream().flush();
    }

    /** What comes until the end. */
    static String rest(Socket socket) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            socket.getInputStream().transferTo(all);
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the connection stays open after " + all.toString(UTF_8), e);
        } catch (IOException e) {
            return all.toString(UTF_8) + "(reset)";
        }
        return all.toString(UTF_8);
    }

    /** Waits for something, a minute at most. */
    static void until(Callable<Boolean> isSo) throws Exception {
        for (int i = 0; i < 3_000; i++) {
            if (isSo.call()) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        throw new AssertionError("it has not come to that within a minute");
    }

    double counted(String meter, String label, String value) {
        return registry.get(meter).tag(label, value).counter().count();
    }

    @Override
    public void close() {
        server.close();
    }
}
