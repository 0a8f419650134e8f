package dev.envelope.idempotency.store.postgres.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.store.postgres.Plans;
import dev.envelope.idempotency.store.postgres.TestServer;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** No statement of the relay reads all outputs, whatever the table's statistics say. */
class OutputPlansTest {

    private static final Map<String, String> STATEMENTS =
            Map.ofEntries(
                    Map.entry("next", OutputRows.NEXT),
                    Map.entry("before", OutputRows.BEFORE),
                    Map.entry("refused", OutputRows.REFUSED),
                    Map.entry("open", PostgresOutputStore.MOVE_ON),
                    Map.entry("sent", PostgresOutputStore.SENT),
                    Map.entry("look", PostgresOutputStore.LOOK),
                    Map.entry("depth", PostgresOutputStore.DEPTH),
                    Map.entry("gone", Takeover.GONE),
                    Map.entry("lock", Takeover.LOCK_BOTH),
                    Map.entry("take out", Splitting.TAKE_OUT),
                    Map.entry("leave rest", Splitting.LEAVE_REST));

    @Test
    void everyStatementGoesOverAnIndexWithAndWithoutStatistics() throws SQLException {
        TestServer server = TestServer.shared();
        PostgresSettings settings = server.newMigratedSettings();
        String schema = settings.schema();
        try (Connection connection =
                new Connector(settings, Duration.ofSeconds(1)).getConnection()) {
            assertPlans(connection, settings);

            server.execute(
                    ("INSERT INTO %1$s.relay (instance, start_id) SELECT i, i"
                                    + " FROM generate_series(1, 100) i;"
                                    + " INSERT INTO %1$s.output (relay, lanes, topics, keys, vals,"
                                    + " sources, offsets, epochs, ordinals, bytes) SELECT i %% 100,"
                                    + " '{1}', '{t}', '{k}', '{v}', '{1}', '{1}', '{1}', '{1}', 10"
                                    + " FROM generate_series(1, 50000) i; ANALYZE %1$s.output;"
                                    + " ANALYZE %1$s.relay")
                            .formatted(schema));
            assertPlans(connection, settings);
        }
    }

    private static void assertPlans(Connection connection, PostgresSettings settings) {
        STATEMENTS.forEach(
                (name, sql) -> {
                    String plan = plan(connection, sql.formatted(settings.quotedSchema()));
                    assertThat(plan)
                            .as(name)
                            .contains("Index")
                            .doesNotContain("Seq Scan on output", "Hash Join", "Merge Join");
                });
    }

    private static String plan(Connection connection, String sql) {
        try {
            return Plans.of(connection, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
