package dev.envelope.integration.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.app.commands.EnvelopeCommand;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.security.SecureServers.Listener;
import dev.envelope.integration.stack.Signal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One process between secure servers, fed with hostile records, and all that it says. */
@Tag("cluster")
@ExtendWith(OneSecureStack.class)
class SecureApplicationTest {

    private static final String NAME = "vault";
    private static final String FORGED = "2026-01-01T00:00:00.000Z ERROR envelope - forged";

    /** A key that would like to be a line of the log, or to hide one. */
    private static final String EVIL_KEY = "a\r\n" + FORGED + "\u001b[2K\u202e\u0085\u2028" + "b";

    /** What frameworks steer retries, dead letters and types by. */
    private static final List<String> FORGED_HEADERS =
            List.of(
                    "envelope-attempts",
                    "envelope-reason",
                    "envelope-position",
                    "park",
                    "dead-letter",
                    "retry_topic-attempts",
                    "retry_topic-backoff-timestamp",
                    "kafka_dlt-exception-fqcn",
                    "kafka_dlt-original-offset",
                    "__streams.errors.offset",
                    "__connect.errors.offset",
                    "__TypeId__",
                    "ce_id",
                    "event-id");

    private static final Pattern LINE =
            Pattern.compile(
                    "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z (TRACE|DEBUG|INFO |WARN"
                            + " |ERROR) .*");

    private static final List<String> DDL =
            List.of(
                    "CREATE TABLE vault.mine (x int)",
                    "CREATE TABLE public.mine (x int)",
                    "CREATE SCHEMA mine",
                    "ALTER TABLE vault.state ADD COLUMN x int",
                    "DROP TABLE vault.state",
                    "TRUNCATE vault.state",
                    "CREATE INDEX ON vault.state (version)",
                    "UPDATE vault.application SET schema_version = 0",
                    "UPDATE vault.application SET min_program = 0",
                    "CREATE ROLE other");

    private final SecureServers servers;

    SecureApplicationTest(SecureServers servers) {
        this.servers = servers;
    }

    private static ProducerRecord<String, String> record(String key, String value) {
        return new ProducerRecord<>(NAME, 0, key, value);
    }

    private void produce() {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", servers.broker().bootstrapServers()),
                        new StringSerializer(),
                        new StringSerializer())) {
            producer.send(record(EVIL_KEY, "{\"amount\":\"" + "\\r\\n" + FORGED + "\"}"));
            for (int i = 0; i < 2; i++) {
                ProducerRecord<String, String> steered = record("steered", "{\"amount\":1}");
                for (String name : FORGED_HEADERS) {
                    byte[] value = ("1000000\r\n" + FORGED).getBytes(StandardCharsets.UTF_8);
                    steered.headers().add(name, value);
                }
                producer.send(steered);
            }
            producer.flush();
        }
    }

    private String envelope(String... arguments) {
        StringWriter words = new StringWriter();
        PrintWriter writer = new PrintWriter(words, true);
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(
                List.of(
                        "-c",
                        servers.workspace().folder().resolve(NAME + ".properties").toString()));
        int code =
                EnvelopeCommand.on(new Terminal(writer, writer))
                        .execute(all.toArray(String[]::new));
        assertThat(code).as(words.toString()).isZero();
        return words.toString();
    }

    private String worker(String sql) throws SQLException {
        try (Connection worker = servers.asWorker(NAME)) {
            return SecureServers.query(worker, sql);
        }
    }

    @Test
    void withTheDocumentedRightsAloneItWorksEncryptedAndHostileRecordsForgeNothing()
            throws Exception {
        servers.admit(NAME);
        RunningApp app =
                RunningApp.start(
                        servers.workspace(), NAME, servers.settings(NAME, Listener.TRUSTED));
        app.awaitReady();
        produce();
        app.await(() -> "1".equals(worker("SELECT count(*) FROM vault.parked")));
        app.await(
                () ->
                        "{\"n\": 2, \"sum\": 2}"
                                .equals(
                                        worker(
                                                "SELECT state::jsonb FROM vault.state"
                                                        + " WHERE key = 'steered'")));

        everyConnectionIsEncryptedAndTheWorkers();
        theWorkerMayNotChangeTables();
        String status = app.get("/status").body();
        String metrics = app.get("/metrics").body();
        String parked = envelope("parked", "list");
        String shown = envelope("parked", "show", EVIL_KEY);
        app.signal(Signal.TERM);
        assertThat(app.awaitExit()).isZero();

        assertThat(parked).contains("\\u000d\\u000a").contains("1 parked since");
        for (String text : List.of(app.log(), parked, shown, status)) {
            assertThat(text.lines()).noneMatch(line -> line.startsWith(FORGED));
            assertThat(text)
                    .doesNotContainPattern("[\\p{Cntrl}&&[^\\n\\t]]|[\\u202e\\u0085\\u2028]");
        }
        assertThat(app.log().lines()).allMatch(line -> LINE.matcher(line).matches());
        assertThat(metrics).doesNotContain("forged", "steered");
        noSecretIsIn(List.of(app.log(), status, metrics, parked, shown));
        noSecretIsIn(
                List.of(
                        Files.readString(servers.workspace().log("broker")),
                        Files.readString(servers.workspace().log("postgres"))));
    }

    private void everyConnectionIsEncryptedAndTheWorkers() {
        assertThat(
                        servers.query(
                                "SELECT string_agg(DISTINCT a.usename || ' ' || s.ssl, ',')"
                                        + " FROM pg_stat_activity a JOIN pg_stat_ssl s USING (pid)"
                                        + " WHERE a.application_name LIKE 'envelope vault%'"))
                .isEqualTo("vault_worker true");
    }

    private void theWorkerMayNotChangeTables() throws SQLException {
        try (Connection worker = servers.asWorker(NAME);
                Statement statement = worker.createStatement()) {
            for (String sql : DDL) {
                assertThatThrownBy(() -> statement.execute(sql), sql)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("42501"));
            }
        }
    }

    private void noSecretIsIn(List<String> texts) throws IOException {
        String hidden =
                Files.readString(servers.workspace().folder().resolve("secrets.properties"));
        assertThat(hidden).as("what is looked for").contains("canary");
        assertThat(texts).noneMatch(text -> text.contains("canary"));
    }
}
