package dev.envelope.integration.outage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.Signal;
import dev.envelope.integration.stack.proxy.NetworkFault.BlackHole;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The broker takes connections and never answers. */
@Tag("cluster")
@ExtendWith(OneProxiedStack.class)
class SilentBrokerTest {

    private static final int LINES_PER_MINUTE = 50;

    private final ProxiedStack stack;

    SilentBrokerTest(ProxiedStack stack) {
        this.stack = stack;
    }

    @Test
    void readinessGoesOffAndOnAgainAndAStopIsBounded() {
        stack.topics().create("silence", 2);
        Database database = stack.postgres().createDatabase("silence");
        RunningApp app =
                RunningApp.start(stack.direct().workspace(), "silence", settings(database));
        try {
            judge(app, database);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(app.log(), e);
        } finally {
            app.process().kill();
        }
    }

    private void judge(RunningApp app, Database database) {
        app.awaitReady();
        produce(1_000);
        app.await(() -> count(database) == 1_000);
        long linesBefore = app.log().lines().count();

        stack.toBroker().inject(new BlackHole());
        app.await(() -> app.get("/readyz").body().contains("no broker has answered for"));
        assertThat(app.get("/readyz").statusCode()).isEqualTo(503);
        assertThat(app.get("/livez").statusCode()).as("a restart would not help").isEqualTo(200);
        produce(1_000);
        stack.heal();

        app.awaitReady();
        app.await(() -> count(database) == 2_000);
        assertThat(app.log()).contains("the broker answers again, after");
        assertThat(app.log().lines().count() - linesBefore)
                .as(app.log())
                .isLessThan(LINES_PER_MINUTE);

        stack.toBroker().inject(new BlackHole());
        produce(10);
        app.signal(Signal.TERM);
        long asked = System.nanoTime();
        int code = app.awaitExit();

        assertThat(code).as(app.log()).isIn(0, 128 + 15);
        assertThat(Duration.ofNanos(System.nanoTime() - asked))
                .as(app.log())
                .isLessThan(Duration.ofSeconds(40));
    }

    private List<String> settings(Database database) {
        return List.of(
                "application.id=silence",
                "bootstrap.servers=" + stack.bootstrapServers(),
                "topics=silence",
                "handler=fold",
                "handler.fold.n=count()",
                "store.url=" + stack.throughProxy(database).url(),
                "store.user=" + database.user(),
                "store.password=" + database.password(),
                "start.timeout=60s",
                "shutdown.drain.timeout=5s",
                "http.listen=127.0.0.1:0");
    }

    private void produce(int records) {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", stack.direct().bootstrapServers()),
                        new StringSerializer(),
                        new StringSerializer())) {
            for (int i = 0; i < records; i++) {
                var unused = producer.send(new ProducerRecord<>("silence", "key-" + i % 10, "{}"));
            }
            producer.flush();
        }
    }

    private static long count(Database database) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT coalesce(sum((state->>'n')::bigint), 0)"
                                        + " FROM silence.state")) {
            assertThat(row.next()).isTrue();
            return row.getLong(1);
        }
    }
}
