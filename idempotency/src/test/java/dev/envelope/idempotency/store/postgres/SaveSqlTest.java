package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The plans: in the arrays' order, over the key's index, whatever the table's statistics say. */
class SaveSqlTest {

    @Test
    void everyMixtureFollowsTheArraysOverTheIndex() throws SQLException {
        TestServer server = TestServer.shared();
        PostgresSettings settings = server.newMigratedSettings();
        try (Connection connection =
                new Connector(settings, Duration.ofSeconds(1)).getConnection()) {
            assertPlans(connection, settings);

            server.execute(
                    "INSERT INTO %s.state (key, version, marks) SELECT i, 1, '' FROM generate_series(1, 50000) i"
                            .formatted(settings.schema()));
            server.execute("ANALYZE " + settings.schema() + ".state");
            assertPlans(connection, settings);
        }
    }

    private static void assertPlans(Connection connection, PostgresSettings settings)
            throws SQLException {
        for (int bits = 1; bits < 64; bits++) {
            SaveSql sql =
                    new SaveSql(
                            (bits & 1) != 0,
                            (bits & 2) != 0,
                            (bits & 4) != 0,
                            (bits & 8) != 0,
                            (bits & 16) != 0,
                            (bits & 32) != 0);
            String plan = plan(connection, sql.text(settings.quotedSchema()));
            assertThat(plan)
                    .as(sql.toString())
                    .doesNotContain("Seq Scan", "Hash Join", "Merge Join", "Sort Key: c");
            if (sql.updates()) {
                assertThat(plan)
                        .as(sql.toString())
                        .containsPattern(
                                "Nested Loop\\n *->  (Function|CTE) Scan on (free )?c\\n"
                                        + " *->  Index Scan using state_pkey on state s");
            }
        }
    }

    private static String plan(Connection connection, String sql) throws SQLException {
        String[] parts = sql.split("\\?", -1);
        String numbered =
                IntStream.range(0, parts.length)
                        .mapToObj(i -> parts[i] + (i + 1 < parts.length ? "$" + (i + 1) : ""))
                        .collect(Collectors.joining());
        List<String> nulls = Collections.nCopies(parts.length - 1, "NULL");
        try (Statement statement = connection.createStatement()) {
            statement.execute("DEALLOCATE ALL");
            statement.execute("PREPARE save AS " + numbered);
            StringBuilder plan = new StringBuilder();
            try (ResultSet row =
                    statement.executeQuery(
                            "EXPLAIN (COSTS OFF) EXECUTE save(" + String.join(", ", nulls) + ")")) {
                while (row.next()) {
                    plan.append(row.getString(1)).append('\n');
                }
            }
            return plan.toString();
        }
    }
}
