package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Two versions of a handler in one group, under load: one process gets the new version, it is
 * withdrawn, and then all get it. The new version counts one field more.
 */
@Tag("cluster")
@ExtendWith(OneStack.class)
class RollingVersionsTest {

    private static final int PARTITIONS = 6;
    private static final int KEYS = 60;

    private final LocalStack stack;

    RollingVersionsTest(LocalStack stack) {
        this.stack = stack;
    }

    @Tag("long")
    @Test
    void withExpressionsNothingIsParkedDroppedOrLostBothWays() {
        new Rollout("expressions", List.of("handler=fold", "handler.fold.n=count()"))
                .plays(
                        List.of(
                                "handler=fold",
                                "handler.fold.n=count()",
                                "handler.fold.more=sum(/amount)"));
    }

    @Tag("long")
    @Test
    void withClassesNothingIsParkedDroppedOrLostBothWays() {
        new Rollout("classes", List.of("handler=" + RollingFolds.Before.class.getName()))
                .plays(List.of("handler=" + RollingFolds.After.class.getName()));
    }

    /** What a row says of a key; {@code more} is -1 as long as no new version has saved it. */
    private record Row(long n, long more) {}

    /** One application whose processes are replaced. */
    private final class Rollout {

        private final String name;
        private final Database database;
        private final List<String> before;
        private int starts;

        Rollout(String version, List<String> before) {
            this.name = "rolling" + version;
            this.before = before;
            this.database = stack.postgres().createDatabase(name);
            stack.topics().create(name, PARTITIONS);
        }

        void plays(List<String> after) {
            try (Load load = new Load(stack.broker().bootstrapServers(), name)) {
                RunningApp first = start(before);
                RunningApp second = start(before);
                second.await(() -> rows().size() == KEYS);
                RunningApp canary = start(after);
                stop(second);
                canary.await(() -> rows().values().stream().anyMatch(row -> row.more() > 0));

                stop(canary);
                first.await(() -> first.get("/readyz").body().contains("another version"));
                assertThat(first.get("/api/stuck").body()).contains("\\\"more\\\"");
                long withdrawn = total();
                first.await(() -> total() > withdrawn + KEYS); // the others flow
                Map<String, Row> waiting = rows();

                RunningApp third = start(after);
                stop(first);
                Map<String, Long> sent = load.end();
                third.await(() -> total() == sent.values().stream().mapToLong(it -> it).sum());
                third.awaitReady();
                assertAllIsThere(sent, waiting);
                stop(third);
            }
        }

        private void assertAllIsThere(Map<String, Long> sent, Map<String, Row> waiting) {
            assertThat(
                            Applications.first(
                                    database, "SELECT count(*) FROM %s.parked".formatted(name)))
                    .isEqualTo("0");
            Map<String, Row> rows = rows();
            assertThat(rows).hasSameSizeAs(sent);
            rows.forEach((key, row) -> assertThat(row.n()).as(key).isEqualTo(sent.get(key)));
            assertThat(waiting.values()).anyMatch(row -> row.more() > 0);
            waiting.forEach(
                    (key, then) -> {
                        Row now = rows.getOrDefault(key, then);
                        if (then.more() >= 0) { // what the canary had counted is still in it
                            assertThat(now.more() - then.more())
                                    .as("%s: %s, then %s", key, then, now)
                                    .isEqualTo(now.n() - then.n());
                        }
                    });
        }

        private RunningApp start(List<String> handler) {
            List<String> settings = Applications.settings(stack, name, database);
            settings.removeIf(line -> line.startsWith("handler"));
            settings.addAll(handler);
            RunningApp app = RunningApp.start(stack.workspace(), name + "-" + ++starts, settings);
            app.awaitLine("running  "); // it has a part of the group's
            return app;
        }

        private void stop(RunningApp app) {
            app.signal(Signal.TERM);
            assertThat(app.awaitExit()).as(app::log).isZero();
        }

        private long total() {
            return rows().values().stream().mapToLong(Row::n).sum();
        }

        private Map<String, Row> rows() {
            Map<String, Row> rows = new HashMap<>();
            String sql =
                    "SELECT key, (state->>'n')::bigint, coalesce((state->>'more')::bigint, -1)"
                            + " FROM %s.state".formatted(name);
            try (Connection connection = database.connect();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                while (row.next()) {
                    rows.put(row.getString(1), new Row(row.getLong(2), row.getLong(3)));
                }
                return rows;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Sends an amount of 1 to one key after the other, some hundred a second, until its end. */
    private static final class Load implements AutoCloseable {

        private static final int PAUSE_MILLIS = 3;

        private final Map<String, Long> sent = new HashMap<>();
        private final KafkaProducer<String, String> producer;
        private final String topic;
        private final CompletableFuture<Void> sending;
        private volatile boolean isEnding;

        Load(String bootstrapServers, String topic) {
            this.topic = topic;
            this.producer =
                    new KafkaProducer<>(
                            Map.of("bootstrap.servers", bootstrapServers),
                            new StringSerializer(),
                            new StringSerializer());
            this.sending = CompletableFuture.runAsync(this::run);
        }

        private void run() {
            for (int i = 0; !isEnding; i++) {
                String key = "key-" + i % KEYS;
                producer.send(new ProducerRecord<>(topic, key, "{\"amount\":1}"));
                sent.merge(key, 1L, Long::sum);
                LockSupport.parkNanos(PAUSE_MILLIS * 1_000_000L);
            }
        }

        /** How many went to each key. */
        Map<String, Long> end() {
            isEnding = true;
            sending.join();
            producer.flush();
            return sent;
        }

        @Override
        public void close() {
            end();
            producer.close();
        }
    }
}
