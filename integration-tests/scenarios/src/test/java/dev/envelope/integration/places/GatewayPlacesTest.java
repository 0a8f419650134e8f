package dev.envelope.integration.places;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalPostgres;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Ports;
import dev.envelope.integration.stack.Workspace;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Utils;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Callers of a gateway whose rows are divided between three database servers, one of which is away
 * for a while. {@code -Dplaces.away.seconds=60} lets it be away for longer.
 */
@Tag("cluster")
@ExtendWith(OneStack.class)
class GatewayPlacesTest {

    private static final int SLOTS = 6; // two at each place
    private static final int AWAY_SECONDS = Integer.getInteger("places.away.seconds", 6);
    private static final int CALLERS = 4; // of each place
    private static final int KEYS = 3; // of each caller
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final JsonMapper JSON = new JsonMapper();

    private static final List<Workspace> workspaces = new ArrayList<>();
    private static final List<LocalPostgres> servers = new ArrayList<>();

    private final LocalStack stack;
    private final List<Database> databases = new ArrayList<>();
    private final List<RunningApp> apps = new ArrayList<>();
    private final List<Thread> callers = new ArrayList<>();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final int port = Ports.free();
    private final AtomicBoolean goesOn = new AtomicBoolean(true);
    private final AtomicInteger commands = new AtomicInteger();
    private final Map<String, Integer> sent = new ConcurrentHashMap<>(); // by key
    private final Map<Integer, Queue<Long>> nanos = new ConcurrentHashMap<>(); // by place
    private final Map<Integer, Queue<String>> refused = new ConcurrentHashMap<>(); // by place
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private String name = "";

    GatewayPlacesTest(LocalStack stack) {
        this.stack = stack;
    }

    @BeforeAll
    static void servers() {
        for (int i = 0; i < 3; i++) {
            Workspace workspace = Workspace.open();
            workspaces.add(workspace);
            LocalPostgres server = new LocalPostgres(workspace, Map.of());
            server.start();
            servers.add(server);
        }
    }

    @AfterEach
    void end() throws InterruptedException {
        goesOn.set(false);
        apps.forEach(it -> it.process().kill());
        callers.forEach(Thread::interrupt);
        for (Thread caller : callers) {
            caller.join();
        }
        for (LocalPostgres server : servers) {
            server.resume();
            if (!server.process().isAlive()) { // a test has failed while it was down
                server.start();
            }
        }
    }

    @AfterAll
    static void stop() {
        workspaces.forEach(Workspace::close); // with its server
    }

    private void start() {
        stack.topics().create(name, SLOTS);
        servers.forEach(server -> databases.add(server.createDatabase(name)));
        List<String> settings =
                Applications.settings(stack.bootstrapServers(), name, databases.get(0));
        settings.addAll(
                List.of(
                        "store.slots=" + SLOTS,
                        "store.place.b=" + databases.get(1).url(),
                        "store.slots.b=2-3",
                        "store.place.c=" + databases.get(2).url(),
                        "store.slots.c=4,5",
                        "pool.size=4",
                        "store.statement.timeout=2s",
                        "store.socket.timeout=3s",
                        "dedupe.id=header:command-id",
                        "gateway.listen=127.0.0.1:" + port));
        RunningApp app = RunningApp.start(stack.workspace(), name, settings);
        apps.add(app);
        app.awaitReady();
    }

    private static int placeOf(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        return Utils.toPositive(Utils.murmur2(bytes)) % SLOTS / 2;
    }

    /** Keys of one place, which no other caller has. */
    private static List<String> keys(int place, int caller) {
        return IntStream.iterate(0, it -> it + 1)
                .mapToObj(it -> "key-" + caller + "-" + it)
                .filter(it -> placeOf(it) == place)
                .limit(KEYS)
                .toList();
    }

    private void startCallers() {
        for (int place = 0; place < 3; place++) {
            for (int caller = 0; caller < CALLERS; caller++) {
                int its = place;
                List<String> keys = keys(place, caller);
                callers.add(new Thread(() -> call(its, keys)));
            }
        }
        callers.forEach(Thread::start);
    }

    private void call(int place, List<String> keys) {
        try {
            for (int i = 0; goesOn.get(); i++) {
                String key = keys.get(i % keys.size());
                sent.merge(key, 1, Integer::sum);
                JsonNode answer = command(place, key);
                readBack(place, key, answer);
                Thread.sleep(25); // all together are to leave the machine something
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            wrong.add(e.toString());
        }
    }

    private HttpResponse<String> ask(HttpRequest.Builder request)
            throws IOException, InterruptedException {
        return http.send(request.timeout(Duration.ofSeconds(20)).build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    /** Sends a command, again and again until it is answered. */
    private JsonNode command(int place, String key) throws IOException, InterruptedException {
        String id = "command-" + commands.incrementAndGet();
        while (true) {
            long begun = System.nanoTime();
            HttpResponse<String> response =
                    ask(
                            to("/v1/entities/" + key + "/messages?wait=3s")
                                    .header("Idempotency-Key", id)
                                    .POST(BodyPublishers.ofString("{\"amount\":1}")));
            if (response.statusCode() == 200) {
                times(place).add(System.nanoTime() - begun);
                return JSON.readTree(response.body());
            }
            refused(place, response);
            HttpResponse<String> read = ask(to("/v1/entities/" + key));
            if (read.statusCode() >= 500) {
                refused(place, read);
            }
            Thread.sleep(50); // as a caller does that is told to come again
        }
    }

    private Queue<Long> times(int place) {
        return nanos.computeIfAbsent(place, it -> new ConcurrentLinkedQueue<>());
    }

    private void refused(int place, HttpResponse<String> response) {
        String text = response.statusCode() + " " + response.body();
        refused.computeIfAbsent(place, it -> new ConcurrentLinkedQueue<>()).add(text);
        if (response.statusCode() != 503 && response.statusCode() != 504) {
            wrong.add(text);
        }
    }

    /** What a command has changed is there for whoever names its offset. */
    private void readBack(int place, String key, JsonNode answer)
            throws IOException, InterruptedException {
        String at =
                "%s-%d-%d"
                        .formatted(
                                answer.path("topic").asString(),
                                answer.path("partition").asInt(),
                                answer.path("offset").asLong());
        long begun = System.nanoTime();
        HttpResponse<String> read = ask(to("/v1/entities/" + key + "?wait=3s&at-least=" + at));
        if (read.statusCode() != 200) {
            refused(place, read);
            return;
        }
        times(place).add(System.nanoTime() - begun);
        int counted = JSON.readTree(read.body()).at("/state/n").asInt();
        if (counted != sent.getOrDefault(key, 0)) {
            wrong.add(key + " was sent " + sent.get(key) + " commands, and reads " + counted);
        }
    }

    /** Prints the times that there were; returns the 99th of a hundred in milliseconds. */
    private double times(String when, int place) {
        Queue<Long> all = nanos.getOrDefault(place, new ConcurrentLinkedQueue<>());
        long[] sorted = all.stream().mapToLong(it -> it).sorted().toArray();
        assertThat(sorted.length).as("answers of place %d %s", place, when).isGreaterThan(20);
        double p99 = sorted[sorted.length * 99 / 100] / 1e6;
        System.out.printf(
                Locale.ROOT,
                "gateway, %s, %s: place %d: %d answers, p50 %.1f ms, p99 %.1f ms, most %.1f ms%n",
                name,
                when,
                place,
                sorted.length,
                sorted[sorted.length / 2] / 1e6,
                p99,
                sorted[sorted.length - 1] / 1e6);
        return p99;
    }

    /** As many of each place as it takes to say how long they take. */
    private void awaitAnswers() {
        Awaitility.await()
                .atMost(SOON)
                .until(() -> IntStream.range(0, 3).allMatch(place -> times(place).size() > 100));
    }

    private void forget() {
        nanos.clear();
        refused.clear();
    }

    private void query(int away) throws IOException, InterruptedException {
        List<String> keys = IntStream.range(0, 3).mapToObj(it -> keys(it, 0).get(0)).toList();
        long begun = System.nanoTime();
        HttpResponse<String> response =
                ask(
                        to("/v1/entities/query")
                                .POST(
                                        BodyPublishers.ofString(
                                                "{\"keys\":[\"%s\"]}"
                                                        .formatted(String.join("\",\"", keys)))));
        System.out.printf(
                Locale.ROOT,
                "gateway, %s: a query over all places took %.1f ms%n",
                name,
                (System.nanoTime() - begun) / 1e6);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body())
                .contains("\"unanswered\":[\"" + keys.get(away) + "\"]")
                .contains("\"away\":[\"" + List.of("main", "b", "c").get(away) + "\"]")
                .contains(keys.get((away + 1) % 3), keys.get((away + 2) % 3));
    }

    private String inDatabase(String key) {
        int slot = Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % SLOTS;
        return Applications.first(
                databases.get(placeOf(key)),
                "SELECT state->>'n' FROM %s_0%d.state WHERE key = '%s'".formatted(name, slot, key));
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"1,killed", "0,frozen"})
    void callersOfOtherPlacesNoticeNothingAndThoseOfTheOneThatIsAwayAreAnsweredLater(
            int away, String how) throws Exception {
        name = how + away;
        start();
        startCallers();
        Awaitility.await().atMost(SOON).until(() -> commands.get() > 500); // it is warm
        forget();
        awaitAnswers();
        IntStream.range(0, 3).forEach(place -> times("before", place));

        forget();
        if (how.equals("frozen")) {
            servers.get(away).pause();
        } else {
            servers.get(away).process().kill();
        }
        Thread.sleep(1_000L * AWAY_SECONDS / 2); // how it is while one is away
        query(away);
        Thread.sleep(1_000L * AWAY_SECONDS / 2); // and then
        for (int place = 0; place < 3; place++) {
            if (place != away) {
                assertThat(times("one away", place)).isLessThan(1_000);
                assertThat(refused.getOrDefault(place, new ConcurrentLinkedQueue<>())).isEmpty();
            }
        }
        String placeName = List.of("main", "b", "c").get(away);
        Queue<String> turnedAway = refused.getOrDefault(away, new ConcurrentLinkedQueue<>());
        assertThat(turnedAway)
                .isNotEmpty()
                .anyMatch(it -> it.contains("\"place\":\"" + placeName + "\""));
        System.out.printf("gateway, %s: %d were refused%n", name, turnedAway.size());

        if (how.equals("frozen")) {
            servers.get(away).resume();
        } else {
            servers.get(away).start();
        }
        Thread.sleep(6_000); // until it is asked again
        forget();
        awaitAnswers();
        IntStream.range(0, 3).forEach(place -> times("after", place));
        goesOn.set(false);
        for (Thread caller : callers) {
            caller.join(SOON.toMillis());
            assertThat(caller.isAlive()).as("a caller has no answer").isFalse();
        }
        assertThat(wrong).isEmpty();
        for (Map.Entry<String, Integer> each : sent.entrySet()) {
            assertThat(inDatabase(each.getKey()))
                    .as(each.getKey())
                    .isEqualTo(each.getValue().toString());
        }
    }
}
