package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("cluster")
@ExtendWith(OneStack.class)
class ConsumerProcessTest {

    private static LocalStack stack;

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
    }

    @Test
    void recordsBecomeRowsAndATermSignalEndsItWithEverythingCommitted() throws Exception {
        stack.topics().create("payments", 3);
        Database database = stack.postgres().createDatabase("payments");
        produce("payments", 3_000, 100);

        RunningApp app = start("payments", settings("payments", database));
        app.awaitReady();
        app.await(() -> Applications.counted(database, "payments") == 3_000);
        app.await(() -> app.get("/status").body().contains("\"records\":3000"));
        app.await(() -> app.get("/status").body().contains("\"inFlight\":0,"));

        Map<String, String> rows = rows(database, "payments");
        assertThat(rows).hasSize(100).containsEntry("key-7", "{\"n\": 30, \"sum\": 30}");
        assertThat(app.get("/livez").statusCode()).isEqualTo(200);
        assertThat(app.get("/metrics").body())
                .contains("envelope_records_total{outcome=\"applied\"} 3000.0")
                .contains("envelope_writes_total")
                .contains("envelope_size_records_bucket")
                .contains("envelope_oldest_unacked_seconds 0.0")
                .contains("kafka_consumer_fetch_manager_records_lag_max")
                .contains("hikaricp_connections{pool=\"lanes\"}")
                .contains("jvm_memory_used_bytes");
        HttpResponse<String> status = app.get("/status");
        assertThat(status.body())
                .contains("\"state\":\"RUNNING\"")
                .contains("\"records\":3000")
                .contains("\"topic\":\"payments\",\"partition\":2");

        app.signal(Signal.TERM);

        assertThat(app.awaitExit()).isZero();
        assertThat(app.log()).contains("everything fetched was saved");
        assertThat(committed("payments")).isEqualTo(3_000);
    }

    @Test
    void theStartSaysWhatMattersInFewLines() throws Exception {
        stack.topics().create("brief", 2);
        RunningApp app =
                start("brief", settings("brief", stack.postgres().createDatabase("brief")));
        app.awaitReady();

        assertThat(app.log().lines().count()).as(app.log()).isLessThanOrEqualTo(15);
        assertThat(app.log())
                .contains("brief (2) at " + stack.broker().bootstrapServers() + " as group brief")
                .contains("operations http://127.0.0.1:")
                .contains("fold: n, sum")
                .doesNotContain("ConsumerConfig values");
        app.signal(Signal.TERM);
        assertThat(app.awaitExit()).isZero();
    }

    @Test
    void aWrongPasswordIsSaidInOneLine() {
        stack.topics().create("password", 1);
        Database database = stack.postgres().createDatabase("password");
        List<String> settings = settings("password", database);
        settings.add("store.password=guess");
        settings.remove("store.password=" + database.password());

        RunningApp app = start("password", settings);

        assertThat(app.awaitExit()).isEqualTo(78);
        assertThat(app.log())
                .contains("envelope: the database refuses the login of password")
                .contains("check store.user, store.password")
                .doesNotContain("\tat ");
    }

    @Test
    void aMissingTopicIsSaidInOneLine() {
        RunningApp app =
                start("nowhere", settings("nowhere", stack.postgres().createDatabase("nowhere")));

        assertThat(app.awaitExit()).isEqualTo(78);
        assertThat(app.log())
                .contains(
                        "envelope: the topic nowhere does not exist: create it, or correct topics");
    }

    @Test
    @Tag("long")
    void theSchemaOfAnotherApplicationIsRefused() {
        stack.topics().create("shared", 1);
        Database database = stack.postgres().createDatabase("shared");
        RunningApp first = start("shared", settings("shared", database));
        first.awaitReady();
        first.signal(Signal.TERM);
        assertThat(first.awaitExit()).isZero();
        List<String> settings = settings("shared", database);
        settings.add("application.id=other");
        settings.add("store.schema=shared");
        settings.remove("application.id=shared");

        RunningApp second = start("other", settings);

        assertThat(second.awaitExit()).isEqualTo(78);
        assertThat(second.log())
                .contains(
                        "envelope: the schema shared belongs to the application shared, not to other");
    }

    @Tag("long")
    @Test
    void tablesOfALaterReleaseAreUsedWhereTheyAllowItWhichIsSaidOnce() throws Exception {
        stack.topics().create("later", 1);
        Database database = stack.postgres().createDatabase("later");
        RunningApp first = start("later", settings("later", database));
        first.awaitReady();
        first.signal(Signal.TERM);
        assertThat(first.awaitExit()).isZero();
        change(database, "UPDATE later.application SET tables_version = 99");

        RunningApp second = start("later-2", settings("later", database));
        second.awaitReady();
        assertThat(second.log()).containsOnlyOnce("the schema later is of version 99");
        second.signal(Signal.TERM);
        assertThat(second.awaitExit()).isZero();

        change(database, "UPDATE later.application SET min_program = 99");
        RunningApp third = start("later-3", settings("later", database));
        assertThat(third.awaitExit()).isEqualTo(78);
        assertThat(third.log()).contains("run the newer program");
    }

    private static void change(Database database, String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aServerThatCommitsWithoutWaitingForItsDiskIsRefused() throws Exception {
        stack.topics().create("careless", 1);
        Database database = stack.postgres().createDatabase("careless");
        try (Connection connection = stack.postgres().superuser().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER ROLE careless SET synchronous_commit = off");
        }

        RunningApp app = start("careless", settings("careless", database));

        assertThat(app.awaitExit()).isEqualTo(78);
        assertThat(app.log()).contains("envelope: synchronous_commit is off");
    }

    @Test
    void withoutABrokerItGivesUpInTime() {
        List<String> settings = settings("silent", stack.postgres().createDatabase("silent"));
        settings.remove("bootstrap.servers=" + stack.broker().bootstrapServers());
        settings.add("bootstrap.servers=127.0.0.1:1");
        settings.add("start.timeout=3s");

        RunningApp app = start("silent", settings);

        assertThat(app.awaitExit()).isEqualTo(69);
        assertThat(app.log())
                .containsOnlyOnce("waiting for the broker: nobody answers at 127.0.0.1:1")
                .contains("envelope: gave up after 3 s (start.timeout) without the broker");
    }

    @Test
    void aMisspeltSettingIsAnsweredWithTheRightOne() {
        List<String> settings = settings("typo", stack.postgres().superuser());
        settings.add("prefetch.max.byte=1MiB");

        RunningApp app = start("typo", settings);

        assertThat(app.awaitExit()).isEqualTo(78);
        assertThat(app.log())
                .contains("typo.properties:")
                .contains("there is no such setting")
                .contains("prefetch.max.bytes");
    }

    @Test
    void aPortThatSomebodyElseHasIsRefusedWithTheWayOut() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<String> settings = settings("port", stack.postgres().superuser());
            settings.remove("http.listen=127.0.0.1:0");
            settings.add("http.listen=127.0.0.1:" + taken.getLocalPort());

            RunningApp app = start("port", settings);

            assertThat(app.awaitExit()).isEqualTo(78);
            assertThat(app.log()).contains("http.listen").contains("http.listen=none");
        }
    }

    @Test
    @Tag("long")
    void aSecondProcessOfTheSameNameIsRefusedAndOneAfterAKillIsNot() {
        stack.topics().create("named", 1);
        Database database = stack.postgres().createDatabase("named");
        List<String> settings = settings("named", database);
        settings.add("instance.name=web-1");
        settings.add("kafka.consumer.session.timeout.ms=3000");
        RunningApp first = start("named", settings);
        first.awaitReady();
        assertThat(first.get("/status").body()).contains("\"instance\":\"web-1\"");

        RunningApp second = RunningApp.start(stack.workspace(), "app-named-again", settings);
        assertThat(second.awaitExit()).isEqualTo(78);
        assertThat(second.log())
                .contains("envelope: another process of named runs under the name web-1")
                .contains("instance.name");

        first.signal(Signal.KILL);
        first.awaitExit();
        RunningApp third = RunningApp.start(stack.workspace(), "app-named-then", settings);
        third.awaitReady();
        assertThat(third.log()).contains("a process named web-1 was seen less than 10 s ago");
        third.signal(Signal.TERM);
        assertThat(third.awaitExit()).isZero();
    }

    private static RunningApp start(String name, List<String> settings) {
        return RunningApp.start(stack.workspace(), "app-" + name, settings);
    }

    private static List<String> settings(String name, Database database) {
        return Applications.settings(stack, name, database);
    }

    private static void produce(String topic, int records, int keys) {
        Applications.produce(stack, topic, records, keys, "{\"amount\":1}");
    }

    private static long committed(String group) {
        return stack.topics().committed(group).values().stream()
                .mapToLong(OffsetAndMetadata::offset)
                .sum();
    }

    private static Map<String, String> rows(Database database, String schema) throws SQLException {
        Map<String, String> rows = new TreeMap<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT key, state::jsonb, version FROM " + schema + ".state")) {
            while (row.next()) {
                assertThat(row.getLong(3)).isPositive();
                rows.put(row.getString(1), row.getString(2));
            }
        }
        return rows;
    }
}
