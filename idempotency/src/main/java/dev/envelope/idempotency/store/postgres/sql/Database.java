package dev.envelope.idempotency.store.postgres.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.PoolUse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The five pools of connections, and work done on one of them.
 *
 * <p>Threads: thread-safe (the pools are).
 */
public final class Database implements AutoCloseable {

    private static final Duration KEEPALIVE = Duration.ofMinutes(2);
    private static final Duration MAX_LIFETIME = Duration.ofMinutes(30);
    private static final Executor CLOSING = task -> new Thread(task, "envelope-closing").start();

    private final SqlErrors errors;
    private final Pool lanes;
    private final Pool alone;
    private final Pool background;
    private final Pool outputs;
    private final Pool callers;

    public Database(PostgresSettings settings) {
        Duration lock = settings.timeouts().lock();
        this.errors = new SqlErrors(settings);
        this.lanes = Pool.open(settings, "lanes", settings.lanes(), lock, false);
        this.alone = Pool.open(settings, "alone", 1, Duration.ZERO, true);
        this.background = Pool.open(settings, "background", 2, lock, false);
        // Outputs don't wait for a purge or a redrive: of these a single statement may take long.
        this.outputs = Pool.open(settings, "outputs", 1, lock, false);
        this.callers = Pool.openWhenNeeded(settings, "callers", 2, lock);
    }

    private Database(PostgresSettings settings, Duration longestPause) {
        Duration lock = settings.timeouts().lock();
        this.errors = new SqlErrors(settings);
        this.lanes = Pool.openForHandlers(settings, "lanes", longestPause);
        this.alone = Pool.openWhenNeeded(settings, "alone", 1, lock);
        this.background = Pool.open(settings, "background", 2, lock, false);
        this.outputs = Pool.openWhenNeeded(settings, "outputs", 1, lock);
        this.callers = Pool.openWhenNeeded(settings, "callers", 1, lock);
    }

    /**
     * One whose lanes are for users' statements, and whose other pools, but for the background, are
     * not used.
     *
     * @param longestPause how long their transactions may be silent
     */
    public static Database forHandlers(PostgresSettings settings, Duration longestPause) {
        return new Database(settings, longestPause);
    }

    public Pool lanes() {
        return lanes;
    }

    public Pool alone() {
        return alone;
    }

    public Pool background() {
        return background;
    }

    public Pool outputs() {
        return outputs;
    }

    /** For those that wait for an answer; nothing on it takes long. */
    public Pool callers() {
        return callers;
    }

    /** The present use of the pools. */
    public List<PoolUse> pools() {
        return List.of(lanes.use(), alone.use(), background.use(), outputs.use(), callers.use());
    }

    /** Runs work whose failures all mean: try again later. */
    public <T> T call(Pool pool, @Nullable Incarnation expected, Work<T> work) {
        return call(pool, expected, begun(pool, work), errors::unavailable);
    }

    /** The same for queries alone, each of which returns the start time of the server. */
    public <T> T read(Pool pool, Incarnation expected, Work<T> work) {
        return call(pool, expected, work, errors::unavailable);
    }

    /** The same for a save that skips locked rows. */
    public <T> T saveAroundLocks(Pool pool, Incarnation expected, Work<T> work) {
        return call(pool, expected, begun(pool, work), errors::ofSaveAroundLocks);
    }

    /** The same for a save, which may also fail because of a row. */
    public <T> T save(Pool pool, Incarnation expected, Work<T> work) {
        return call(pool, expected, begun(pool, work), errors::ofSave);
    }

    /** Where the schema is on a worker of Citus, in a transaction that looks at its life first. */
    private static <T> Work<T> begun(Pool pool, Work<T> work) {
        return (connection, life) -> {
            if (!life.isOnWorker()) {
                return work.on(connection, life);
            }
            pool.connector.begin(connection, life);
            T result = work.on(connection, life);
            connection.commit();
            return result;
        };
    }

    private <T> T call(
            Pool pool,
            @Nullable Incarnation expected,
            Work<T> work,
            Function<SQLException, RuntimeException> failure) {
        try (Connection connection = pool.source.getConnection()) {
            ServerLife life = pool.connector.lifeOf(connection);
            try {
                if (expected != null && !expected.equals(life.incarnation())) {
                    throw new OtherIncarnationException(expected, life.incarnation());
                }
                return work.on(connection, life);
            } catch (SQLException e) {
                RuntimeException failed = failure.apply(e);
                if (failed instanceof UnavailableException) {
                    pool.source.evictConnection(connection);
                }
                throw failed;
            } catch (OtherIncarnationException e) {
                // It outlives a worker of Citus, and would say the same for ever.
                pool.source.evictConnection(connection);
                throw e;
            }
        } catch (SQLTransientConnectionException e) { // by the pool, not by the driver
            PoolUse use = pool.use();
            throw use.active() == use.most()
                    ? new AllInUseException(use, e)
                    : errors.unavailable(e);
        } catch (SQLException e) {
            throw errors.unavailable(e);
        }
    }

    /**
     * Compares the start time that a statement returned with that of the connection's server.
     *
     * @throws OtherIncarnationException if the statement ran on another server
     */
    public static void requireLife(ServerLife life, long startMicros) {
        life.require(startMicros);
    }

    /** Queries the server's start time and compares it. */
    public static void requireLife(Connection connection, ServerLife life) throws SQLException {
        try (Statement query = connection.createStatement();
                ResultSet row = query.executeQuery("SELECT " + ServerLife.START_MICROS)) {
            row.next();
            requireLife(life, row.getLong(1));
        }
    }

    /** Each pool on a thread of its own: while the server does not answer, each takes seconds. */
    @Override
    public void close() {
        CompletableFuture.allOf(
                        Stream.of(lanes, alone, background, outputs, callers)
                                .map(it -> CompletableFuture.runAsync(it.source::close, CLOSING))
                                .toArray(CompletableFuture[]::new))
                .join();
    }

    /**
     * Work on a connection.
     *
     * @param <T> its result
     */
    @FunctionalInterface
    public interface Work<T> {
        T on(Connection connection, ServerLife life) throws SQLException;
    }

    /** Connections for one purpose. */
    public static final class Pool {

        private final String name;
        private final HikariDataSource source;
        private final Connector connector;

        private Pool(String name, HikariDataSource source, Connector connector) {
            this.name = name;
            this.source = source;
            this.connector = connector;
        }

        /**
         * @param patient whether its callers wait for a connection longer by the statement timeout
         */
        private static Pool open(
                PostgresSettings settings,
                String name,
                int size,
                Duration lockTimeout,
                boolean patient) {
            PostgresSettings.Timeouts timeouts = settings.timeouts();
            Duration borrow =
                    patient ? timeouts.borrow().plus(timeouts.statement()) : timeouts.borrow();
            return open(
                    name,
                    config(settings, name, size, borrow),
                    new Connector(settings, lockTimeout));
        }

        private static Pool openForHandlers(
                PostgresSettings settings, String name, Duration longestPause) {
            return open(
                    name,
                    config(settings, name, settings.lanes(), settings.timeouts().borrow()),
                    Connector.forHandlers(settings, longestPause));
        }

        /** One that has no connection until it is used. */
        private static Pool openWhenNeeded(
                PostgresSettings settings, String name, int size, Duration lockTimeout) {
            HikariConfig config = config(settings, name, size, settings.timeouts().borrow());
            config.setMinimumIdle(0);
            return open(name, config, new Connector(settings, lockTimeout));
        }

        private static HikariConfig config(
                PostgresSettings settings, String name, int size, Duration borrow) {
            HikariConfig config = new HikariConfig();
            config.setPoolName("envelope-" + name);
            config.setMaximumPoolSize(size);
            config.setConnectionTimeout(borrow.toMillis());
            config.setValidationTimeout(
                    Math.min(borrow.toMillis(), settings.timeouts().connect().toMillis() + 250));
            config.setKeepaliveTime(KEEPALIVE.toMillis());
            config.setMaxLifetime(MAX_LIFETIME.toMillis());
            // The checks before a start find and report an unreachable database.
            config.setInitializationFailTimeout(-1);
            return config;
        }

        private static Pool open(String name, HikariConfig config, Connector connector) {
            config.setDataSource(connector);
            return new Pool(name, new HikariDataSource(config), connector);
        }

        private PoolUse use() {
            HikariPoolMXBean pool = source.getHikariPoolMXBean();
            return pool == null
                    ? new PoolUse(name, 0, 0, 0, source.getMaximumPoolSize())
                    : new PoolUse(
                            name,
                            pool.getTotalConnections(),
                            pool.getActiveConnections(),
                            pool.getThreadsAwaitingConnection(),
                            source.getMaximumPoolSize());
        }
    }
}
