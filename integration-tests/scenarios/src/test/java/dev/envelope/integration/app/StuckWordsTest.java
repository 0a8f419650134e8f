package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a process says of why its lag is stuck, in its words, while somebody else is the cause. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class StuckWordsTest {

    private static final Pattern SEVERAL =
            Pattern.compile("held by pid \\d+, user .*; pid \\d+, user ");

    private static String stuck(RunningApp app) {
        return app.get("/api/stuck").body();
    }

    /** A session that a person has opened, and does not end. */
    private static Connection session(Database database, String sql) throws SQLException {
        Connection connection = database.connect();
        connection.setClientInfo("ApplicationName", "a person");
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
        return connection;
    }

    @Test
    @Tag("long")
    void whoHoldsALockIsNamed(LocalStack stack) throws SQLException {
        stack.topics().create("held", 1);
        Database database = stack.postgres().createDatabase("held");
        RunningApp app =
                RunningApp.start(
                        stack.workspace(), "held", Applications.settings(stack, "held", database));
        app.awaitReady();
        Applications.produceOf(stack, "held", "a", "{\"amount\":1}");
        app.await(() -> Applications.counted(database, "held") == 1);

        String row = "SELECT 1 FROM held.state WHERE key = 'a' FOR UPDATE";
        try (Connection person = session(database, row)) {
            Applications.produceOf(stack, "held", "a", "{\"amount\":1}");
            app.await(() -> stuck(app).contains("is held by pid"));
            assertThat(stuck(app))
                    .contains("another session of the database holds a lock on its row")
                    .contains("a lock on the row of key \\\"a\\\" is held by pid ")
                    .contains("(a person), idle in transaction in a transaction of ")
                    .doesNotContain("the handler has been at one message");

            person.rollback();
        }
        app.await(() -> Applications.counted(database, "held") == 2);

        String shared = row.replace("UPDATE", "SHARE");
        try (Connection one = session(database, shared);
                Connection other = session(database, shared)) {
            Applications.produceOf(stack, "held", "a", "{\"amount\":1}");
            app.await(() -> SEVERAL.matcher(stuck(app)).find());
            one.rollback();
            other.rollback();
        }
        app.await(() -> Applications.counted(database, "held") == 3);

        try (Connection person =
                session(database, "LOCK TABLE held.state IN ACCESS EXCLUSIVE MODE")) {
            Applications.produceOf(stack, "held", "a", "{\"amount\":1}");
            app.await(() -> stuck(app).contains("a lock on the whole table state is held by pid"));
            assertThat(stuck(app)).contains("the database does not answer");
            person.rollback();
        }
        app.await(() -> Applications.counted(database, "held") == 4);
        app.await(() -> stuck(app).contains("nothing is stuck"));

        app.signal(Signal.TERM);
        assertThat(app.awaitExit()).isZero();
    }

    @Tag("long")
    @Test
    void aPartitionThatWaitsForOlderOnesAndATopicThatIsGoneAreNamed(LocalStack stack)
            throws SQLException {
        stack.topics().create("grows", 1);
        Database database = stack.postgres().createDatabase("grows");
        List<String> settings = Applications.settings(stack, "grows", database);
        settings.add("kafka.consumer.metadata.max.age.ms=500");
        RunningApp app = RunningApp.start(stack.workspace(), "grows", settings);
        app.awaitReady();
        Applications.produceOf(stack, "grows", "a", "{\"amount\":1}");
        app.await(() -> Applications.counted(database, "grows") == 1);

        String row = "SELECT 1 FROM grows.state WHERE key = 'a' FOR UPDATE";
        try (Connection person = session(database, row)) {
            Applications.produceOf(stack, "grows", "a", "{\"amount\":1}");
            app.await(() -> app.get("/status").body().contains("\"inFlight\":1"));
            stack.topics().grow("grows", 2);
            Applications.produce(
                    stack, List.of(new ProducerRecord<>("grows", 1, "b", "{\"amount\":1}")));
            String held =
                    "grows-1 is not fetched: 1 record held until what was sent before to the"
                            + " older partitions is saved";
            app.await(() -> stuck(app).contains(held));
            person.rollback();
        }
        app.await(() -> Applications.counted(database, "grows") == 3);

        stack.topics().delete("grows");
        app.await(() -> stuck(app).contains("topic grows does not exist (any more)"));
        assertThat(app.get("/readyz").statusCode()).isEqualTo(503);
        app.process().kill();
    }

    @Tag("long")
    @Test
    void connectionsThatAreAllLentOutAreNamed(LocalStack stack) throws SQLException {
        stack.topics().create("narrow", 1);
        Database database = stack.postgres().createDatabase("narrow");
        List<String> settings = Applications.settings(stack, "narrow", database);
        settings.addAll(List.of("store.connections=1", "pool.size=4"));
        RunningApp app = RunningApp.start(stack.workspace(), "narrow", settings);
        app.awaitReady();
        Applications.produceOf(stack, "narrow", "a", "{\"amount\":1}");
        app.await(() -> Applications.counted(database, "narrow") == 1);

        try (Connection owner = database.connect();
                Statement statement = owner.createStatement()) {
            statement.execute(
                    "CREATE FUNCTION narrow.slow() RETURNS trigger LANGUAGE plpgsql AS"
                            + " 'BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END';"
                            + " CREATE TRIGGER slow AFTER INSERT OR UPDATE ON narrow.state"
                            + " EXECUTE FUNCTION narrow.slow()");
            app.await(
                    () -> {
                        Applications.produce(stack, "narrow", 40, 40, "{\"amount\":1}");
                        return stuck(app).contains(" wait for a connection to the database");
                    });
            assertThat(stuck(app))
                    .contains("of the pool lanes 1 of at most 1 are open, and 1 lent out");
            statement.execute("DROP FUNCTION narrow.slow() CASCADE");
        }
        app.await(() -> stuck(app).contains("nothing is stuck"));
        app.process().kill();
    }

    @Tag("long")
    @Test
    void aHeapThatIsTooSmallIsNamed(LocalStack stack) throws SQLException {
        stack.topics().create("small", 1);
        Database database = stack.postgres().createDatabase("small");
        List<String> settings = Applications.settings(stack, "small", database);
        settings.removeIf(it -> it.startsWith("handler"));
        settings.addAll(List.of("handler=" + StuckFold.class.getName(), "handler.timeout=10m"));
        RunningApp app = RunningApp.start(stack.workspace(), "small", "192m", settings);
        app.awaitReady();

        Applications.produceOf(stack, "small", "a", "{\"churns\":45000}");
        app.await(() -> stuck(app).contains("the garbage collector has taken "));

        assertThat(stuck(app))
                .containsPattern(
                        "taken \\d+% of the last \\d+ s: the heap of 1\\d\\d MiB is too small")
                .contains("raise -Xmx, or lower prefetch.max.bytes");
        app.process().kill();
    }

    @Tag("long")
    @Test
    void aMemberThatHoldsUpTheGroupIsNamed(LocalStack stack) throws SQLException {
        stack.topics().create("joined", 2);
        Database database = stack.postgres().createDatabase("joined");
        RunningApp app =
                RunningApp.start(
                        stack.workspace(),
                        "joined",
                        Applications.settings(stack, "joined", database));
        app.awaitReady();
        List<ProducerRecord<String, String>> both =
                List.of(
                        new ProducerRecord<>("joined", 0, "a", "{\"amount\":1}"),
                        new ProducerRecord<>("joined", 1, "b", "{\"amount\":1}"));

        Consumer<byte[], byte[]> silent = member(stack, "joined");
        Consumer<byte[], byte[]> other = member(stack, "joined");
        try {
            app.await(
                    () -> {
                        silent.poll(Duration.ofMillis(100));
                        return silent.assignment().size() == 1;
                    });
            app.await(
                    () -> {
                        other.poll(
                                Duration.ofMillis(100)); // its join wants all others to join anew
                        Applications.produce(stack, both);
                        return stuck(app).contains("no offset could be committed for ");
                    });
            assertThat(stuck(app))
                    .contains(
                            "the group is in a rebalance, and waits for a member that does not"
                                    + " join it")
                    .contains("rows are written meanwhile");
        } finally {
            silent.close(CloseOptions.timeout(Duration.ZERO));
            other.close(CloseOptions.timeout(Duration.ZERO));
        }
        app.await(() -> stuck(app).contains("nothing is stuck"));
        app.process().kill();
    }

    /** Another member of the application's group, which may stay away for a minute and a half. */
    private static Consumer<byte[], byte[]> member(LocalStack stack, String group) {
        Consumer<byte[], byte[]> member =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                stack.broker().bootstrapServers(),
                                "group.id",
                                group,
                                "partition.assignment.strategy",
                                CooperativeStickyAssignor.class.getName(),
                                "max.poll.interval.ms",
                                90_000,
                                "enable.auto.commit",
                                false),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
        member.subscribe(List.of(group));
        return member;
    }
}
