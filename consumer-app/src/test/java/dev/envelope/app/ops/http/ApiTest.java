package dev.envelope.app.ops.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.SampleStatus;
import dev.envelope.app.ops.api.ApiBench;
import dev.envelope.app.ops.api.Live;
import dev.envelope.core.api.Doing;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.status.Holdup;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What can be asked of a process and done to it over HTTP, and by whom. */
class ApiTest {

    private static final String TOKEN = "0123456789abcdef-token";

    private final HttpClient http = HttpClient.newHttpClient();
    private final ApiBench bench = new ApiBench(this::status);
    private Live live;
    private OperationsServer server;

    @BeforeEach
    void open() throws Exception {
        open("127.0.0.1", List.of(new Secret(TOKEN)));
    }

    private void open(String host, List<Secret> tokens) throws Exception {
        live = bench.live();
        server =
                OperationsServer.open(
                        new HostPort(host, 0),
                        tokens,
                        this::status,
                        () -> "m 1\n",
                        bench.api(live));
    }

    @AfterEach
    void close() {
        live.close();
        server.close();
    }

    private ProcessStatus status() {
        return SampleStatus.of(
                        SampleStatus.partition(0, ""),
                        SampleStatus.partition(1, "enough is in flight"))
                .status();
    }

    private HttpResponse<String> send(String method, String path, String... headers)
            throws Exception {
        URI url = URI.create(server.url().replace("0.0.0.0", "127.0.0.1") + path);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(url).method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> change(String path) throws Exception {
        return send("POST", path, "Authorization", "Bearer " + TOKEN);
    }

    @Test
    void whatIsStuckIsToldInASentenceWithTheKeyTheErrorAndWhatWaitsBehindIt() throws Exception {
        bench.holdups.add(
                new Holdup(
                        SampleStatus.partition(1, ""),
                        ApiBench.message(110, "account-7"),
                        new Standing(
                                Doing.RETRYING, 0, 5, 3, "IllegalStateException: no such account"),
                        Duration.ofSeconds(12)));

        assertThat(send("GET", "/api/stuck").body())
                .contains("\"stuck\":true")
                .contains(
                        "payments-1 waits for message payments-1@110 of key \\\"account-7\\\", which"
                                + " is here for 62 s: failed, and waits for its next attempt (for 12 s,"
                                + " after 3 failed attempts, last with IllegalStateException: no such"
                                + " account). Behind it wait 4 messages of its key and 9 of the"
                                + " partition in all")
                .contains("payments-1 is not fetched: enough is in flight")
                .contains("\"offset\":110,\"key\":\"account-7\"")
                .contains("\"doing\":\"RETRYING\"");
    }

    @Test
    void whatIsOnItsWayIsNotStuck() throws Exception {
        bench.isThere = false;

        assertThat(send("GET", "/api/stuck").body()).contains("\"partitions\":[]");
    }

    @Test
    void everythingThatIsAnsweredIsDescribedAndNothingElse() throws Exception {
        JsonNode paths =
                JsonMapper.builder()
                        .build()
                        .readTree(send("GET", "/api/openapi.json").body())
                        .at("/paths");
        Set<String> described = new TreeSet<>();
        paths.properties()
                .forEach(
                        path ->
                                path.getValue()
                                        .propertyNames()
                                        .forEach(
                                                method ->
                                                        described.add(
                                                                method.toUpperCase(Locale.ROOT)
                                                                        + " "
                                                                        + path.getKey())));
        Set<String> answered = new TreeSet<>();
        bench.api().routes().forEach(it -> answered.add(it.method() + " " + it.path()));

        assertThat(described).isEqualTo(answered);
        for (String route : answered) {
            String path = route.substring(route.indexOf(' ') + 1).replaceAll("\\{\\w+}", "1");
            if (!path.equals("/api/live")) {
                assertThat(send(route.substring(0, route.indexOf(' ')), path).statusCode())
                        .as(route)
                        .isNotIn(404, 405, 500);
            }
        }
    }

    @Test
    void partitionsPoolAndSettingsCanBeLookedAt() throws Exception {
        assertThat(send("GET", "/api/partitions").body())
                .contains(
                        "{\"topic\":\"payments\",\"partition\":0,\"owner\":\"here-1\",\"epoch\":3")
                .contains("\"committed\":100,\"end\":125,\"lag\":15");
        assertThat(send("GET", "/api/pool").body()).contains("\"size\":4,\"busy\":1");
        assertThat(send("GET", "/api/config").body())
                .contains(
                        "{\"name\":\"pool.size\",\"value\":\"4\",\"origin\":\"consumer.properties:12\"}")
                .contains("{\"name\":\"store.password\",\"value\":\"********\"");
    }

    @Test
    void thePoolIsInspectedByTheNamesOfOtherPools() throws Exception {
        assertThat(send("GET", "/api/pool/inspect").body())
                .startsWith(
                        "{\"pool_size\":4,\"worker_behavior\":\"fold(count)\","
                                + "\"worker_mailbox_size\":1048576,\"pool_capacity\":1048576,"
                                + "\"worker_restarts\":1,"
                                + "\"messages_forwarded\":9,\"messages_unhandled\":3,")
                .endsWith("\"busy_ratio\":0.25}");
        assertThat(send("GET", "/api/pool/inspect?item=pool_size,worker_restarts").body())
                .isEqualTo("{\"pool_size\":4,\"worker_restarts\":1}");
        HttpResponse<String> unknown = send("GET", "/api/pool/inspect?item=pool");
        assertThat(unknown.statusCode()).isEqualTo(400);
        assertThat(unknown.body()).contains("pool_size");
    }

    @Test
    void withoutADatabaseWhatStandsInItCanNotBeAnsweredAndThatIsSaid() throws Exception {
        HttpResponse<String> answer = send("GET", "/api/keys?key=account-7");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).contains("1");
        assertThat(answer.headers().firstValue("Content-Type"))
                .hasValueSatisfying(it -> assertThat(it).startsWith("application/problem+json"));
        assertThat(answer.body())
                .startsWith("{\"title\":\"Service Unavailable\",\"status\":503,\"detail\":\"")
                .contains("127.0.0.1");
        assertThat(send("GET", "/api/parked").statusCode()).isEqualTo(503);
        assertThat(send("GET", "/api/keys").statusCode()).isEqualTo(400);
        assertThat(change("/api/parked/drop?id=1&key=a").statusCode()).isEqualTo(400);
        assertThat(change("/api/parked/drop?id=one").body()).contains("id is not a number");
    }

    @Test
    void theSameIsAskedForManyKeysThatAreSelectedAndCounted() throws Exception {
        assertThat(send("GET", "/api/parked/bulk").body()).isEqualTo("{\"running\":false}");
        assertThat(send("GET", "/api/parked/selected").body()).contains("which keys? all=true");
        assertThat(send("GET", "/api/parked/selected?all=true&why=null-key").statusCode())
                .isEqualTo(400);
        assertThat(send("GET", "/api/parked/selected?since=today").body())
                .contains("since is a time as in");
        assertThat(send("GET", "/api/parked/selected?all=true").statusCode()).isEqualTo(503);
        assertThat(send("POST", "/api/parked/bulk?action=drop&keys=3&all=true").statusCode())
                .isEqualTo(401);
        assertThat(change("/api/parked/bulk?action=burn&keys=3&all=true").body())
                .contains("action is redrive, skip-failing, skip, drop");
        assertThat(change("/api/parked/bulk?action=drop&all=true").body()).contains("wants ?keys=");
        assertThat(change("/api/parked/bulk?action=drop&keys=3&all=true").statusCode())
                .isEqualTo(503);
        assertThat(change("/api/parked/bulk/stop").statusCode()).isEqualTo(409);
    }

    @Test
    void workersAreAddedAndRemovedByWhoHasTheToken() throws Exception {
        assertThat(change("/api/pool/add?count=2").statusCode()).isEqualTo(200);
        assertThat(change("/api/pool/remove").statusCode()).isEqualTo(200);
        assertThat(change("/api/pool/remove?count=4").statusCode()).as("none left").isEqualTo(400);
        assertThat(change("/api/pool/add?count=two").statusCode()).isEqualTo(400);

        assertThat(bench.done).containsExactly("size 6", "size 3");
        assertThat(send("GET", "/api/config").body())
                .contains(
                        "{\"name\":\"pool.size\",\"value\":\"3\",\"origin\":\"changed while it ran,"
                                + " by http 127.0.0.1\"}");
        assertThat(bench.timeline.newestFirst().stream().map(it -> it.text()))
                .containsExactlyInAnyOrder("pool.size 4 -> 6", "pool.size 4 -> 3");
    }

    @Test
    void partitionsArePausedAndResumedByTheirNames() throws Exception {
        assertThat(change("/api/pause?partition=payments-1").statusCode()).isEqualTo(202);
        assertThat(change("/api/resume?partition=all").statusCode()).isEqualTo(202);
        HttpResponse<String> unknown = change("/api/pause?partition=payments-7");
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(unknown.body()).contains("the application reads no such partition");
        assertThat(change("/api/pause?partition=payments-0&for=2h").statusCode()).isEqualTo(202);
        assertThat(change("/api/pause?partition=payments-0&for=two").statusCode()).isEqualTo(400);
        assertThat(change("/api/pause?partition=all&for=2h").statusCode()).isEqualTo(400);
        assertThat(change("/api/resume?partition=payments-0").statusCode()).isEqualTo(202);
        assertThat(change("/api/resume?partition=other").statusCode()).isEqualTo(404);

        assertThat(bench.done)
                .containsExactly(
                        "pause PARTITION payments-1 Optional.empty http 127.0.0.1",
                        "resume all",
                        "pause PARTITION payments-7 Optional.empty http 127.0.0.1",
                        "pause PARTITION payments-0 Optional[PT2H] http 127.0.0.1",
                        "resume PARTITION payments-0",
                        "resume PARTITION other");
        assertThat(bench.looksAtPauses).isEqualTo(5);
    }

    @Test
    void aPauseThatCannotBeWrittenDownIsRefusedWithTheReason() throws Exception {
        HttpResponse<String> away = change("/api/keys/pause?key=away");
        assertThat(away.statusCode()).isEqualTo(503);
        assertThat(away.body()).contains("the database is away");

        HttpResponse<String> tooMany = change("/api/keys/pause?key=one%20more");
        assertThat(tooMany.statusCode()).isEqualTo(409);
        assertThat(tooMany.body()).contains("10,000 keys and partitions are paused");
    }

    @Test
    void whatIsHeldBackIsListed() throws Exception {
        assertThat(send("GET", "/api/pauses").body())
                .isEqualTo(
                        "{\"pauses\":[{\"kind\":\"key\",\"name\":\"a b\",\"by\":\"me\","
                                + "\"since\":\"1970-01-01T00:00:00Z\",\"until\":null}]}");
    }

    @Test
    void aDrainPausesAllAndSaysHowFarItIs() throws Exception {
        HttpResponse<String> answer = change("/api/drain");

        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body())
                .isEqualTo("{\"drained\":false,\"inFlight\":20,\"uncommitted\":40}");
        assertThat(send("GET", "/api/drain").body()).isEqualTo(answer.body());
        assertThat(bench.done).containsExactly("pause all");
    }

    @Test
    void aKeyIsHeldBackAndLetGo() throws Exception {
        assertThat(change("/api/keys/pause?key=a%20b").body()).isEqualTo("{\"paused\":\"a b\"}");
        assertThat(change("/api/keys/resume?key=paused").statusCode()).isEqualTo(200);
        assertThat(change("/api/keys/resume?key=other").statusCode()).isEqualTo(404);

        assertThat(bench.done)
                .containsExactly(
                        "pause KEY a b Optional.empty http 127.0.0.1",
                        "resume KEY paused",
                        "resume KEY other");
    }

    @Test
    void beforeThereIsAnEngineNothingCanBeTurned() throws Exception {
        bench.isThere = false;

        assertThat(change("/api/pool/add").statusCode()).isEqualTo(503);
        assertThat(send("GET", "/api/drain").statusCode()).isEqualTo(503);
        assertThat(send("GET", "/api/stuck").statusCode()).isEqualTo(200);
    }

    @Test
    void whoAsksTooOftenIsToldToComeAgainAndProbesAreAnsweredAllTheSame() throws Exception {
        int refused = 0;
        long begin = System.nanoTime();
        for (int i = 0; i < 1_000; i++) {
            refused += send("GET", "/api/pool").statusCode() == 429 ? 1 : 0;
            if (refused == 1) {
                assertThat(change("/api/pool/add").statusCode())
                        .as("with the token")
                        .isEqualTo(200);
            }
        }
        double perSecond = 1_000 / ((System.nanoTime() - begin) / 1e9);
        assumeTrue(perSecond > 100, "this machine asks only " + perSecond + " times a second");
        assertThat(refused).isPositive();
        assertThat(send("GET", "/livez").statusCode()).isEqualTo(200);
    }

    @Test
    void nothingIsChangedWithoutTheToken() throws Exception {
        HttpResponse<String> without = send("POST", "/api/pool/add");
        assertThat(without.statusCode()).isEqualTo(401);
        assertThat(without.body())
                .contains("\"detail\":\"wants http.token: ", "ENVELOPE_HTTP_TOKEN");
        HttpResponse<String> other = send("POST", "/api/pool/add", "Authorization", "Bearer x");
        assertThat(other.body()).contains("\"detail\":\"that is not http.token: ");
        String ofTheSameLength = TOKEN.replace('0', '1');
        for (String wrong :
                List.of(
                        "Bearer ",
                        "Bearer " + TOKEN + "x",
                        "Bearer " + ofTheSameLength,
                        "Basic " + TOKEN,
                        TOKEN)) {
            assertThat(send("POST", "/api/pool/add", "Authorization", wrong).statusCode())
                    .as(wrong)
                    .isEqualTo(401);
        }
        assertThat(send("POST", "/api/pool/add?token=" + TOKEN).statusCode()).isEqualTo(401);
        assertThat(bench.done).isEmpty();
    }

    @Test
    void whatHasABodyIsRefusedBeforeItIsRead() throws Exception {
        for (String path : List.of("/livez", "/api/status", "/api/pool/add")) {
            URI url = URI.create(server.url());
            try (Socket caller = new Socket(url.getHost(), url.getPort())) {
                String head =
                        "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
                                .formatted(path, TOKEN, 20 << 20);
                caller.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
                BufferedReader answer =
                        new BufferedReader(
                                new InputStreamReader(
                                        caller.getInputStream(), StandardCharsets.US_ASCII));
                assertThat(answer.readLine()).as(path).startsWith("HTTP/1.1 413");
            }
        }
        assertThat(bench.done).isEmpty();
    }

    @Test
    void aKeyInThePathMayHaveASlash() throws Exception {
        HttpResponse<String> answer = send("GET", "/api/keys/a%2Fb");
        assertThat(answer.statusCode()).as("it is looked for").isEqualTo(503);
        assertThat(send("GET", "/api/keys/a/b").statusCode()).isEqualTo(404);
        assertThat(send("GET", "/api/pool/").statusCode()).isEqualTo(200);
        assertThat(send("HEAD", "/api/pool").statusCode()).isEqualTo(200);
    }

    @Test
    void whatIsRefusedIsSaidInOneForm() throws Exception {
        for (String path :
                List.of("/nowhere", "/api/keys", "/api/keys?key=%ff", "/api/pool/inspect?item=x")) {
            HttpResponse<String> answer = send("GET", path);
            assertThat(answer.headers().firstValue("Content-Type"))
                    .as(path)
                    .hasValueSatisfying(
                            it -> assertThat(it).startsWith("application/problem+json"));
            assertThat(answer.body())
                    .contains("\"title\":", "\"status\":" + answer.statusCode(), "\"detail\":")
                    .doesNotContain("jetty");
        }
    }

    @Test
    void theNewTokenAndTheFormerOneAreGoodUntilTheFormerGoes() throws Exception {
        Secret next = new Secret(TOKEN.replace('0', '1'));
        String ofNext = "Bearer " + next.reveal();
        server.admit(List.of(next, new Secret(TOKEN)));
        assertThat(change("/api/pool/add").statusCode()).isEqualTo(200);
        assertThat(send("POST", "/api/pool/add", "Authorization", ofNext).statusCode())
                .isEqualTo(200);

        server.admit(List.of(next));

        assertThat(change("/api/pool/add").statusCode()).isEqualTo(401);
        assertThat(send("POST", "/api/pool/add", "Authorization", ofNext).statusCode())
                .isEqualTo(200);
    }

    @Test
    void withoutATokenInTheSettingsNothingCanBeChangedAtAll() throws Exception {
        close();
        open("127.0.0.1", List.of());

        HttpResponse<String> answer = send("POST", "/api/pool/add", "Authorization", "Bearer ");
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).contains("http.token");
        assertThat(bench.done).isEmpty();
    }

    @Test
    void beyondThisMachineOnlyTheProbesAndTheEmptyPageAreOpen() throws Exception {
        close();
        open("0.0.0.0", List.of(new Secret(TOKEN)));

        for (String path : List.of("/startupz", "/livez", "/readyz", "/page/page.js")) {
            assertThat(send("GET", path).statusCode()).as(path).isEqualTo(200);
        }
        for (String path :
                List.of("/status", "/metrics", "/api/stuck", "/api/live", "/api/config")) {
            assertThat(send("GET", path).statusCode()).as(path).isEqualTo(401);
        }
        assertThat(send("GET", "/api/stuck", "Authorization", "Bearer " + TOKEN).statusCode())
                .isEqualTo(200);
    }

    @Test
    void aBrowserGetsThePageAndItsFilesAndNobodyElseDoes() throws Exception {
        HttpResponse<String> page = send("GET", "/", "Accept", "text/html,*/*");
        assertThat(page.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
        assertThat(page.body()).contains("<title>envelope</title>").doesNotContain("style=");
        assertThat(send("GET", "/").body()).contains("/livez");
        assertThat(send("GET", "/page/charts.js").statusCode()).isEqualTo(200);
        assertThat(send("GET", "/page/Page.class").statusCode()).isEqualTo(404);
        assertThat(send("GET", "/page/..%2f..%2flogback.xml").statusCode()).isNotEqualTo(200);
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                .contains("script-src 'self'")
                .doesNotContain("unsafe");
    }

    @Test
    void whoHasNoScriptGetsPlainTables() throws Exception {
        bench.holdups.add(
                new Holdup(
                        SampleStatus.partition(1, ""),
                        ApiBench.message(110, "<b>"),
                        new Standing(Doing.LOCKED, 0, 1, 0, ""),
                        Duration.ofSeconds(12)));

        assertThat(send("GET", "/plain").body())
                .contains(
                        "<td data-label=\"end\">125</td><td data-label=\"lag\">15</td>",
                        "<td data-label=\"partition\">payments-1</td>")
                .contains("key &quot;&lt;b&gt;&quot;")
                .doesNotContain("<b>");
    }

    @Test
    void aStreamTellsEachSecondAndHasAnEnd() throws Exception {
        try (BufferedReader events = stream()) {
            assertThat(events.readLine()).startsWith("data: {\"status\":{\"version\":\"1.2.3\"");
            assertThat(events.readLine()).isEmpty();
            assertThat(events.readLine()).contains("\"flow\":{\"waiting\":16,\"SAVE\":4");
            live.close();
            while (events.readLine() != null) {
                // until it ends
            }
        }
    }

    @Test
    void thereAreOnlySoManyStreamsAndAReaderWhoGoesMakesRoom() throws Exception {
        List<BufferedReader> open = new ArrayList<>();
        for (int i = 0; i < Live.MOST_STREAMS; i++) {
            open.add(stream());
            open.get(i).readLine();
        }
        assertThat(send("GET", "/api/live").statusCode()).isEqualTo(503);
        assertThat(send("GET", "/api/stuck").statusCode()).as("others are answered").isEqualTo(200);

        open.get(0).close();
        int status = 503;
        for (int tries = 0; tries < 100 && status == 503; tries++) {
            try (InputStream answer = request("/api/live").body()) {
                status = answer.read() == 'd' ? 200 : 503;
            }
            Thread.sleep(50); // its thread finds out when it writes
        }
        assertThat(status).isEqualTo(200);
        for (BufferedReader each : open) {
            each.close();
        }
    }

    private BufferedReader stream() throws Exception {
        return new BufferedReader(
                new InputStreamReader(request("/api/live").body(), StandardCharsets.UTF_8));
    }

    private HttpResponse<InputStream> request(String path) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(server.url() + path)).build(),
                HttpResponse.BodyHandlers.ofInputStream());
    }
}
