package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.Messages;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.TableSql;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.idempotency.store.table.TableSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

/** The plans: in the arrays' order, over the key's index, whatever the table's statistics say. */
class SaveSqlTest {

    @Test
    void everyMixtureFollowsTheArraysOverTheIndex() throws SQLException {
        TestServer server = TestServer.shared();
        PostgresSettings settings = server.newMigratedSettings();
        try (Connection connection =
                new Connector(settings, Duration.ofSeconds(1)).getConnection()) {
            server.execute(
                    "CREATE TABLE %s.work (id bigint PRIMARY KEY, key text NOT NULL)"
                            .formatted(settings.schema()));
            server.execute(
                    "GRANT ALL ON %s.work TO %s"
                            .formatted(settings.schema(), settings.login().user()));
            assertPlans(connection, settings);

            server.execute(
                    "INSERT INTO %s.state (key, version, marks) SELECT i, 1, '' FROM generate_series(1, 50000) i"
                            .formatted(settings.schema()));
            server.execute(
                    "INSERT INTO %s.work (id, key) SELECT i, i FROM generate_series(1, 50000) i"
                            .formatted(settings.schema()));
            server.execute("ANALYZE %1$s.state, %1$s.work".formatted(settings.schema()));
            assertPlans(connection, settings);
        }
    }

    /** It took a minute where each output was compared with each row. */
    @Test
    void theOutputsOfThoseThatWinAreFoundInSecondsHoweverManyLose() {
        try (PostgresFixture fixture = new PostgresFixture()) {
            Incarnation now = fixture.checkpoints().incarnation();
            List<Change> all =
                    IntStream.range(0, 5_000).mapToObj(i -> emitting("key " + i, i % 2)).toList();
            long begin = System.nanoTime();

            boolean[] saved = fixture.states().save(all, Patience.WAIT, now);

            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isLessThan(Duration.ofSeconds(5));
            assertThat(saved[0]).isTrue();
            assertThat(saved[1]).isFalse();
            assertThat(fixture.start("one").outputs().depth(10).outputs()).isEqualTo(2_500);
        }
    }

    private static Change emitting(String key, long fromVersion) {
        Output output =
                new Output(
                        Messages.parked(1, 1, key).message(),
                        1,
                        "out",
                        null,
                        null,
                        new RecordHeaders());
        return Messages.change(key, fromVersion, HandlerEffects.of(List.of(output)));
    }

    private static TableSql table(PostgresSettings settings) {
        TableSql table = new TableSql(new TableSettings(settings.schema() + ".work", "key", "id"));
        table.found(new TableSql.Shape("text", "bigint", false, "t.\"key\""));
        return table;
    }

    private static void assertPlans(Connection connection, PostgresSettings settings)
            throws SQLException {
        TableSql table = table(settings);
        for (int bits = 1; bits < 512; bits++) {
            SaveSql sql =
                    new SaveSql(
                            (bits & 1) != 0,
                            (bits & 2) != 0,
                            (bits & 4) != 0,
                            (bits & 8) != 0,
                            (bits & 16) != 0,
                            (bits & 32) != 0,
                            (bits & 64) != 0,
                            (bits & 256) != 0 ? table : null,
                            (bits & 128) != 0);
            String plan = Plans.of(connection, sql.text(settings.quotedSchema()));
            assertThat(plan)
                    .as(sql.toString())
                    .doesNotContain("Seq Scan", "Hash Join", "Merge Join", "Sort Key: c");
            if (sql.outputs()
                    || sql.timers()
                    || sql.replies()
                    || sql.table() != null) { // and not a join of each output with each row
                assertThat(plan)
                        .as(sql.toString())
                        .contains("(hashed SubPlan")
                        .doesNotContain("Semi Join");
            }
            if (sql.table() != null) {
                assertThat(plan)
                        .as(sql.toString())
                        .contains("Index Scan using work_pkey on work t");
            }
            if (sql.updates()) {
                assertThat(plan)
                        .as(sql.toString())
                        .containsPattern(
                                "Nested Loop\\n *->  (Function|CTE) Scan on (free )?c\\n"
                                        + " *->  Index Scan using state_pkey on state s");
            }
        }
    }
}
