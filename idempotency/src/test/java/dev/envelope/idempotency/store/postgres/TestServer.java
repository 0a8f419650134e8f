package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A Postgres to test on: one of our own on a random port, which all test classes share and take a
 * schema each of, or one that somebody else has started. With {@code -Dcitus.url=jdbc:…} they share
 * that coordinator of Citus instead, by its superuser {@code postgres}; each schema is then one of
 * a worker.
 */
public final class TestServer implements AutoCloseable {

    private static final String WORKER = "worker";

    public static final PostgresSettings.Timeouts QUICK =
            new PostgresSettings.Timeouts(
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(5),
                    Duration.ofMillis(300),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(12),
                    Duration.ofSeconds(5));

    /** The coordinator to test on; null for a server of our own. */
    private static final @Nullable String CITUS = System.getProperty("citus.url");

    /** A coordinator outlives this process, and may be another's, too. */
    private static final String SCHEMA =
            CITUS == null ? "t" : "t" + ProcessHandle.current().pid() + "_";

    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    /** Empty schemas of Citus, where making one takes a second. */
    private static final Queue<PostgresSettings> EMPTY = new ConcurrentLinkedQueue<>();

    private static @Nullable TestServer shared;

    private final String url;
    private final String user;
    private final String password;
    private final @Nullable EmbeddedPostgres server;

    private TestServer(
            String url, String user, String password, @Nullable EmbeddedPostgres server) {
        this.url = url;
        this.user = user;
        this.password = password;
        this.server = server;
    }

    /** A server that is there, by its superuser; closing it leaves it running. */
    public static TestServer at(String url, String user, String password) {
        TestServer found = new TestServer(url, user, password, null);
        found.createWorker();
        return found;
    }

    public static synchronized TestServer shared() {
        if (shared == null) {
            TestServer started =
                    CITUS == null ? start() : new TestServer(CITUS, "postgres", "", null);
            started.createWorker();
            shared = started;
        }
        return shared;
    }

    public static TestServer start() {
        try {
            EmbeddedPostgres own =
                    EmbeddedPostgres.builder()
                            .setServerConfig("synchronous_commit", "on")
                            .setServerConfig("max_connections", "60")
                            .start();
            String url = "jdbc:postgresql://localhost:" + own.getPort() + "/postgres";
            return new TestServer(url, "postgres", "", own);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether schemas are on a worker of Citus. */
    public static boolean isCitus() {
        return CITUS != null;
    }

    private void createWorker() {
        execute(
                "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'worker') THEN"
                        + " CREATE ROLE worker LOGIN PASSWORD 'worker'; END IF; END $$");
    }

    public String url() {
        return url;
    }

    /** For a schema of its own, as the worker, who may change no tables. */
    public PostgresSettings newSettings() {
        return settings(SCHEMA + SCHEMAS.incrementAndGet(), WORKER);
    }

    public PostgresSettings settings(String schema, String user) {
        return new PostgresSettings(
                url,
                new PostgresSettings.Login(user, user::toCharArray),
                schema,
                "shop",
                "test-1",
                3,
                QUICK);
    }

    public PostgresSettings.Login owner() {
        return new PostgresSettings.Login(user, password::toCharArray);
    }

    /** The same with its tables, made by their owner. */
    public PostgresSettings newMigratedSettings() {
        PostgresSettings empty = EMPTY.poll();
        PostgresSettings settings = empty == null ? newSettings() : empty;
        new Migrator(settings, owner()).migrate();
        return settings;
    }

    /** Drops the schema; one of Citus is emptied for the next test instead. */
    void giveBack(PostgresSettings settings) {
        if (isCitus()) {
            String schema = settings.schema();
            String tables =
                    query(
                            "SELECT string_agg(schemaname || '.' || tablename, ', ') FROM pg_tables"
                                    + " WHERE tablename NOT IN ('application', 'purge', 'relay')"
                                    + " AND schemaname = '"
                                    + schema
                                    + "'");
            execute(
                    """
                    TRUNCATE %2$s;
                    DELETE FROM %1$s.relay WHERE number <> 0;
                    UPDATE %1$s.relay SET batch = 0, positions = '{}', parts = '{}',
                        transactional_ids = '{}', served_by = NULL, seen_at = '-infinity';
                    UPDATE %1$s.purge SET next_page = 0, begins_at = now(), taken_by = NULL;
                    UPDATE %1$s.application SET null_key_spread = NULL, min_program = 7;
                    SELECT setval(c.oid::regclass, 1, false) FROM pg_class AS c
                        WHERE c.relnamespace = '%1$s'::regnamespace AND c.relkind = 'S';
                    """
                            .formatted(schema, tables));
            EMPTY.add(settings);
        } else {
            execute("DROP SCHEMA " + settings.schema() + " CASCADE");
        }
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }

    public void execute(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /**
     * Runs a statement that Citus does not take, on its worker; {@code %s} stands for the table.
     */
    void executeWhereRowsAre(String table, PostgresSettings settings, String sql) {
        String name = settings.schema() + "." + table;
        execute(
                isCitus()
                        ? "SELECT run_command_on_shards('" + name + "', $$" + sql + "$$)"
                        : sql.formatted(name));
    }

    public String query(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return String.valueOf(row.getString(1));
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Returns when that query answers true. */
    public void await(String condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            while (true) {
                try (ResultSet row = statement.executeQuery("SELECT " + condition)) {
                    row.next();
                    if (row.getBoolean(1)) {
                        return;
                    }
                }
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("never came true: " + condition);
                }
                statement.execute("SELECT pg_sleep(0.005)");
            }
        } catch (SQLException e) {
            throw new IllegalStateException(condition, e);
        }
    }

    @Override
    public void close() {
        try {
            if (server != null) {
                server.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
