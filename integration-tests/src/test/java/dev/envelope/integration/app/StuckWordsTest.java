package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
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
}
