package dev.envelope.idempotency.store.postgres.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.store.postgres.Plans;
import dev.envelope.idempotency.store.postgres.TestServer;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    @Test
    void ofVeryManyRefusedRowsOnlyThoseOfTheLanesAreRead() throws SQLException {
        TestServer server = TestServer.shared();
        PostgresSettings settings = server.newMigratedSettings();
        try (Connection connection =
                        new Connector(settings, Duration.ofSeconds(1)).getConnection();
                Statement statement = connection.createStatement()) {
            server.execute(
                    ("INSERT INTO %1$s.output (relay, lanes, topics, keys, vals, sources,"
                                    + " offsets, epochs, ordinals, bytes, refused) SELECT 0,"
                                    + " ARRAY[i, -i], '{t,t}', '{k,k}', '{v,v}', '{1,1}', '{1,1}',"
                                    + " '{1,1}', '{1,1}', 10, 'why'"
                                    + " FROM generate_series(1, 20000) i")
                            .formatted(settings.schema()));
            for (String analyze : List.of("", "ANALYZE %1$s.output;")) {
                server.execute((analyze + "SELECT 1").formatted(settings.schema()));
                statement.execute( // the first call reads catalogs, too
                        "SELECT %1$s.refused_of_lanes('{7,-8}', 100000)"
                                .formatted(settings.quotedSchema()));
                String plan = "";
                try (ResultSet row =
                        statement.executeQuery(
                                ("EXPLAIN (ANALYZE, BUFFERS, FORMAT TEXT) SELECT *"
                                                + " FROM %1$s.refused_of_lanes('{7,-8}', 100000)")
                                        .formatted(settings.quotedSchema()))) {
                    while (row.next()) {
                        plan += row.getString(1) + "\n";
                    }
                }
                assertThat(plan).containsPattern("rows=2(\\.0+)? ");
                Matcher pages = Pattern.compile("shared hit=(\\d+)").matcher(plan);
                assertThat(pages.find()).isTrue();
                assertThat(Integer.parseInt(pages.group(1))).as(plan).isLessThan(200);
            }
        }
    }

    /** The relays are those of all starts of a process since ever. */
    @Test
    void whoIsGoneIsFoundAtOnceAmongThousandsOfRelays() throws SQLException {
        TestServer server = TestServer.shared();
        PostgresSettings settings = server.newMigratedSettings();
        try (Connection connection =
                new Connector(settings, Duration.ofSeconds(1)).getConnection()) {
            server.execute(
                    ("INSERT INTO %1$s.relay (instance, start_id, seen_at, served_by) SELECT i, i,"
                                    + " '-infinity', CASE WHEN i %% 2 = 0 THEN i - 1 END"
                                    + " FROM generate_series(1, 3000) i;"
                                    + " INSERT INTO %1$s.output (relay, lanes, topics, keys, vals,"
                                    + " sources, offsets, epochs, ordinals, bytes) SELECT 1000 + i,"
                                    + " '{1}', '{t}', '{k}', '{v}', '{1}', '{1}', '{1}', '{1}', 10"
                                    + " FROM generate_series(1, 3) i")
                            .formatted(settings.schema()));
            List<Integer> gone = gone(connection, settings);
            assertThat(gone).containsExactly(1001, 1003);

            long fastest = Long.MAX_VALUE;
            for (int i = 0; i < 5; i++) {
                long start = System.nanoTime();
                gone(connection, settings);
                fastest = Math.min(fastest, System.nanoTime() - start);
            }
            assertThat(Duration.ofNanos(fastest)).isLessThan(Duration.ofMillis(50));
        }
    }

    private static List<Integer> gone(Connection connection, PostgresSettings settings)
            throws SQLException {
        List<Integer> numbers = new ArrayList<>();
        try (PreparedStatement statement =
                connection.prepareStatement(Takeover.GONE.formatted(settings.quotedSchema()))) {
            statement.setInt(1, 7);
            statement.setLong(2, 0);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    numbers.add(row.getInt(2));
                }
            }
        }
        return numbers;
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
