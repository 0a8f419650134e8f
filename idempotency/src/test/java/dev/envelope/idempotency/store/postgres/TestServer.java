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
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A Postgres to test on: one of our own on a random port, which all test classes share and take a
 * schema each of, or one that somebody else has started.
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

    private static final AtomicInteger SCHEMAS = new AtomicInteger();
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
            TestServer started = start();
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
        return settings("t" + SCHEMAS.incrementAndGet(), WORKER);
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
        PostgresSettings settings = newSettings();
        new Migrator(settings, owner()).migrate();
        return settings;
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
