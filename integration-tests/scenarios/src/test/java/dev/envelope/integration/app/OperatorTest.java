package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.commands.EnvelopeCommand;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.integration.docs.DeployFiles;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An operator in trouble: what he asks a running process, what it answers, and what he turns. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class OperatorTest {

    private static final String TOPIC = "trouble";
    private static final String TOKEN = "only-for-this-test";

    private static LocalStack stack;
    private static RunningApp app;
    private static Database database;
    private static Path settings;

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
        stack.topics().create(TOPIC, 1);
        database = stack.postgres().createDatabase(TOPIC);
        List<String> lines = Applications.settings(stack, TOPIC, database);
        lines.removeIf(line -> line.startsWith("handler"));
        lines.addAll(
                List.of(
                        "handler=" + StuckFold.class.getName(),
                        "http.token=" + TOKEN,
                        "retry.max.attempts=1000",
                        "retry.backoff.initial=1s",
                        "retry.backoff.max=2s",
                        "pool.size=2",
                        "start.timeout=90s"));
        app = RunningApp.start(stack.workspace(), TOPIC, lines);
        app.awaitReady();
        settings = stack.workspace().folder().resolve(TOPIC + ".properties");
    }

    @AfterAll
    static void stop() {
        app.process().kill();
    }

    private record Said(int code, String words) {}

    private static Said envelope(String... arguments) {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("--url", app.url()));
        return throughTheDatabase(all.toArray(String[]::new));
    }

    private static Said throughTheDatabase(String... arguments) {
        StringWriter words = new StringWriter();
        PrintWriter writer = new PrintWriter(words, true);
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("-c", settings.toString()));
        int code =
                EnvelopeCommand.on(new Terminal(writer, writer))
                        .execute(all.toArray(String[]::new));
        return new Said(code, words.toString());
    }

    private static void send(String key, String... values) {
        Applications.produceOf(stack, TOPIC, key, values);
    }

    private static String key(String key) {
        return app.get("/api/keys?key=" + URLEncoder.encode(key, StandardCharsets.UTF_8)).body();
    }

    @Test
    void whyTheLagIsStuckIsToldWithTheKeyTheErrorAndWhatWaitsBehindIt() throws IOException {
        Path account = stack.workspace().folder().resolve("account-7");
        send("account 7", "{\"wants\":\"%s\"}".formatted(account), "{}", "{}", "{}");
        send("other", "{}");

        app.await(() -> key("other").contains("\"state\":{\"n\":1}"));
        app.await(() -> envelope("stuck").code() == 1);
        try {
            saysWhatTheKeyWaitsFor();
        } finally {
            Files.createFile(account); // or all other tests of this class would wait behind it
        }
        app.await(() -> key("account 7").contains("\"state\":{\"n\":4}"));
        app.await(() -> envelope("stuck").code() == 0);
        assertThat(envelope("stuck").words()).contains("nothing is stuck");
        assertThat(envelope("key", "account 7").words()).contains("state    {\"n\":4}");
    }

    private static void saysWhatTheKeyWaitsFor() {
        app.await(() -> envelope("stuck").words().contains("Behind it wait 3 messages of its key"));
        assertThat(envelope("stuck").words())
                .contains("trouble-0 waits for message trouble-0@")
                .contains("of key \"account 7\"")
                .containsPattern(
                        "failed attempts?, last with IllegalStateException: no such account");
        assertThat(envelope("key", "account 7").words())
                .contains("has no row yet")
                .contains("no such account");
        assertThat(envelope("lag").words()).contains("trouble-0");
    }

    @Test
    void aSlowStatementAndASlowHandlerAreToldApart() throws SQLException {
        execute(
                "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS"
                        + " 'BEGIN PERFORM pg_sleep(7); RETURN NEW; END'");
        execute(
                "CREATE TRIGGER slow BEFORE INSERT ON trouble.state FOR EACH ROW"
                        + " WHEN (NEW.key = 'slow row') EXECUTE FUNCTION slow()");
        send("slow row", "{}");
        awaitStuck("of key \"slow row\", which is here for ", "its row is being saved (for ");

        send("slow handler", "{\"takes\":7000}");
        awaitStuck("of key \"slow handler\", which", "the handler has been at one message for");

        app.await(() -> envelope("stuck").code() == 0);
    }

    @Test
    void brokersThatThrottleAreNamed() {
        ClientQuotaEntity anyClient =
                new ClientQuotaEntity(Collections.singletonMap(ClientQuotaEntity.CLIENT_ID, null));
        quota(anyClient, 200_000.0);
        String much = "{\"text\":\"%s\"}".formatted("x".repeat(10_000));
        send("throttled", Collections.nCopies(300, much).toArray(String[]::new));

        awaitStuck("the brokers throttle what is fetched, by up to ", " ms a fetch: a quota");

        quota(anyClient, null);
        app.await(() -> key("throttled").contains("\"state\":{\"n\":300}"));
    }

    private static void quota(ClientQuotaEntity of, @Nullable Double bytesASecond) {
        ClientQuotaAlteration.Op op =
                new ClientQuotaAlteration.Op("consumer_byte_rate", bytesASecond);
        ClientQuotaAlteration alteration = new ClientQuotaAlteration(of, List.of(op));
        try {
            stack.topics().admin().alterClientQuotas(List.of(alteration)).all().get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitStuck(String... words) {
        app.await(
                () -> {
                    String said = envelope("stuck").words();
                    return Arrays.stream(words).allMatch(said::contains);
                });
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void workersAreAddedAndTheSettingsAreReadAgain() throws IOException {
        assertThat(envelope("pool", "add", "2").words()).startsWith("4 workers");
        assertThat(envelope("pool", "remove", "3").words()).startsWith("1 worker");

        List<String> lines = new ArrayList<>(Files.readAllLines(settings));
        lines.replaceAll(it -> it.equals("pool.size=2") ? "pool.size=5" : it);
        Files.write(settings, lines);
        app.signal(Signal.HUP);
        app.awaitLine("settings were read again: pool.size 2 -> 5");
        app.await(() -> envelope("pool", "show").words().startsWith("5 workers"));

        lines.add("commit.interval=2s");
        Files.write(settings, lines);
        assertThat(envelope("reload").words())
                .contains("commit.interval 1s -> 2s, which wants a restart");
    }

    @Test
    void aRowIsRepairedAndDeletedByWhoeverRuns() throws IOException {
        send("broken", "{}", "{}");
        app.await(() -> key("broken").contains("\"n\":2"));
        Path file = stack.workspace().folder().resolve("state.json");
        Files.writeString(file, "{\"n\":40}");

        assertThat(throughTheDatabase("key", "set", "broken", "@" + file).words())
                .isEqualTo("set\n");
        assertThat(key("broken")).contains("\"n\":40");
        send("broken", "{}");
        app.await(() -> key("broken").contains("\"n\":41"));
        Said refused = throughTheDatabase("key", "set", "broken", "{\"other\":1}");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.words()).startsWith("refused: the handler can't read that state");
        assertThat(throughTheDatabase("key", "set", "broken", "{}", "--version", "1").words())
                .isEqualTo("\"broken\" has no row of version 1\n");

        assertThat(throughTheDatabase("key", "delete", "broken").words())
                .isEqualTo("deleted, with 0 parked messages\n");
        assertThat(envelope("key", "broken").words()).contains("deleted");
        send("broken", "{}");
        app.await(() -> key("broken").contains("\"n\":1"));
    }

    @Test
    void whatIsPausedIsNotFetchedAndADrainedProcessHasCommittedAll() {
        send("paused", "{}");
        app.await(() -> key("paused").contains("\"n\":1"));
        assertThat(envelope("pause", "trouble-0").words()).isEqualTo("paused: trouble-0\n");
        app.await(() -> app.get("/api/partitions").body().contains("an operator has paused it"));
        assertThat(envelope("stuck").words())
                .contains("trouble-0 is not fetched: an operator has paused it");
        send("paused", "{}");
        assertThat(envelope("pause", "trouble-9").code()).isEqualTo(1);

        assertThat(envelope("resume", "trouble-0").code()).isZero();
        app.await(() -> key("paused").contains("\"n\":2"));

        Said drained = envelope("drain", "--timeout", "60");
        assertThat(drained.code()).as(drained.words()).isZero();
        send("paused", "{}");
        assertThat(envelope("resume", "all").code()).isZero();
        app.await(() -> key("paused").contains("\"n\":3"));
    }

    @Test
    void aKeyIsHeldBackWhileOthersFlow() {
        assertThat(envelope("pause", "--key", "held").words()).isEqualTo("paused: held\n");
        app.awaitLine("an operator holds back: key \"held\"");
        send("held", "{}");
        send("free", "{}");
        app.await(() -> key("free").contains("\"n\":1"));
        app.await(() -> envelope("key", "held").words().contains("an operator has paused it"));
        assertThat(envelope("key", "held").words()).contains("has no row yet").contains("paused");
        app.await(() -> envelope("stuck").words().contains("of key \"held\", which is here for"));
        assertThat(envelope("stuck").words()).contains(": waits: an operator has paused it (for ");

        assertThat(envelope("resume", "--key", "held").code()).isZero();
        app.await(() -> key("held").contains("\"n\":1"));
        assertThat(envelope("resume", "--key", "held").code()).isEqualTo(1);
        assertThat(envelope("pause").code()).isEqualTo(64);
    }

    @Test
    void whatComesOfAKeyInQuarantineWaitsForAPerson() {
        send("suspect", "{}");
        app.await(() -> key("suspect").contains("\"n\":1"));
        assertThat(throughTheDatabase("key", "quarantine", "suspect").words())
                .isEqualTo("what comes of it is parked from now on\n");
        send("suspect", "{}", "{}");
        app.await(() -> key("suspect").contains("\"parked\":3"));

        assertThat(throughTheDatabase("parked", "redrive", "suspect").words())
                .isEqualTo("redrove 2\n");
        app.await(() -> key("suspect").contains("\"n\":3"));
    }

    @Test
    void aPoisonMessageIsFoundUnderstoodAndDroppedOverHttp() throws Exception {
        send("poison", "no json", "{}");

        app.await(
                () -> app.get("/api/parked").body().contains("\"key\":\"poison\",\"messages\":2"));
        assertThat(app.get("/api/parked/messages?key=poison").body())
                .contains("\"text\":\"no json\"")
                .contains("\"reason\":\"undecodable\"");
        assertThat(app.post("/api/parked/redrive?key=nothing", TOKEN).statusCode()).isEqualTo(404);

        HttpResponse<String> asked = app.post("/api/parked/skip?key=poison", TOKEN);
        assertThat(asked.statusCode()).isEqualTo(202);
        String request = asked.body().replaceAll("\\D", "");
        app.await(
                () -> app.get("/api/parked/requests/" + request).body().contains("\"done\":true"));
        app.await(() -> key("poison").contains("\"state\":{\"n\":1}"));
        assertThat(app.get("/api/parked").body()).doesNotContain("poison");
    }

    @Test
    void everyMetricThatDashboardAndAlertsNameIsThere() throws IOException {
        send("measured", "{}");
        app.await(() -> key("measured").contains("\"n\":1"));
        String metrics = app.get("/metrics").body();

        Set<String> named = DeployFiles.metrics();
        assertThat(named).hasSizeGreaterThan(20);
        assertThat(named)
                .allSatisfy(
                        name ->
                                assertThat(metrics)
                                        .as(name)
                                        .containsPattern("(?m)^" + name + "[{ ]"));
    }

    @Test
    void theDoctorsReportHasEverythingAndNoSecret() throws IOException {
        Path report = stack.workspace().folder().resolve("report.json");

        assertThat(envelope("doctor", "--to", report.toString()).code()).isZero();
        assertThat(Files.readString(report))
                .contains("\"application\" : \"trouble\"")
                .contains("envelope_records_total")
                .doesNotContain(TOKEN);
    }
}
