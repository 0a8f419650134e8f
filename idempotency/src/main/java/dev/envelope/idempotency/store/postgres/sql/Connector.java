package dev.envelope.idempotency.store.postgres.sql;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.OtherIncarnationException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.WeakHashMap;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;

/**
 * Opens connections: sets up their sessions, refuses servers that must not be written to, and keeps
 * the incarnation of the server for each.
 *
 * <p>Threads: thread-safe (the map is synchronized).
 */
public final class Connector implements DataSource {

    /**
     * {@code _json}, {@code _text}, {@code _bytea}, {@code _int4}, {@code _int8}: sent as bytes.
     */
    private static final String BINARY_ARRAYS = "199,1009,1001,1007,1016";

    private static final String SET_UP =
            "SELECT "
                    + ServerLife.START_MICROS
                    + ", pg_catalog.pg_is_in_recovery()"
                    + ", pg_catalog.current_setting('synchronous_commit')"
                    + ", pg_catalog.has_function_privilege("
                    + "'pg_catalog.pg_control_system()', 'EXECUTE')"
                    + ", pg_catalog.set_config('lock_timeout', ?, false)"
                    + ", pg_catalog.set_config('statement_timeout', ?, false)"
                    + ", pg_catalog.set_config('idle_in_transaction_session_timeout', ?, false)"
                    // A client that freezes while it sends a statement is not idle for the server.
                    + ", CASE WHEN pg_catalog.current_setting('server_version_num')::int >= 170000"
                    + " THEN pg_catalog.set_config('transaction_timeout', ?, false) END, "
                    + CitusSchema.IS_CITUS;

    private static final String FOR_OUR_STATEMENTS =
            ", pg_catalog.set_config('search_path', 'pg_catalog', false)"
                    // The following settings leave one plan for our statements: the nested loop in
                    // the arrays' order, over the key's index.
                    + ", pg_catalog.set_config('enable_hashjoin', 'off', false)"
                    + ", pg_catalog.set_config('enable_mergejoin', 'off', false)"
                    + ", pg_catalog.set_config('enable_seqscan', 'off', false)"
                    + ", pg_catalog.set_config('enable_bitmapscan', 'off', false)"
                    + ", pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', false)"
                    + ", pg_catalog.set_config('jit', 'off', false)";

    private static final String SYSTEM_IDENTIFIER =
            "SELECT system_identifier FROM pg_catalog.pg_control_system()";

    private final PostgresSettings settings;
    private final Duration lockTimeout;
    private final @Nullable Duration longestPause; // null where only our statements run
    private final Driver driver = new Driver();
    private final Map<PGConnection, ServerLife> lives =
            Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * @param lockTimeout how long its sessions wait for a lock; {@link Duration#ZERO} for as long
     *     as the statement timeout
     */
    public Connector(PostgresSettings settings, Duration lockTimeout) {
        this(settings, lockTimeout, null);
    }

    private Connector(
            PostgresSettings settings, Duration lockTimeout, @Nullable Duration longestPause) {
        this.settings = settings;
        this.lockTimeout = lockTimeout;
        this.longestPause = longestPause;
    }

    /**
     * For users' statements: the planner, and where names are looked for, are as the role or the
     * database has them.
     *
     * @param longestPause how long a transaction may be silent
     */
    static Connector forHandlers(PostgresSettings settings, Duration longestPause) {
        return new Connector(settings, settings.timeouts().lock(), longestPause);
    }

    /** A connection for a pool, with its session set up. */
    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = open();
        try {
            lives.put(connection.unwrap(PGConnection.class), setUp(connection));
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** A connection without session settings and checks. */
    public Connection open() throws SQLException {
        Connection connection = driver.connect(settings.url(), properties());
        if (connection == null) {
            throw new InvariantViolation("the driver does not know its own URL");
        }
        return connection;
    }

    /** The incarnation of the server of a pooled connection. */
    public ServerLife lifeOf(Connection connection) throws SQLException {
        ServerLife life = lives.get(connection.unwrap(PGConnection.class));
        if (life == null) {
            throw new InvariantViolation("a connection that was not opened here");
        }
        return life;
    }

    /**
     * Begins the transaction of a schema that is on a worker.
     *
     * @throws OtherIncarnationException if that is not in the life of the connection
     */
    void begin(Connection connection, ServerLife life) throws SQLException {
        CitusSchema.begin(connection, life, settings, lockTimeout);
    }

    private ServerLife setUp(Connection connection) throws SQLException {
        PostgresSettings.Timeouts timeouts = settings.timeouts();
        Duration pause = longestPause == null ? timeouts.idleInTransaction() : longestPause;
        Duration transaction =
                longestPause == null
                        ? timeouts.transaction()
                        : timeouts.transaction().plus(longestPause);
        try (PreparedStatement query =
                connection.prepareStatement(
                        longestPause == null ? SET_UP + FOR_OUR_STATEMENTS : SET_UP)) {
            query.setString(1, Long.toString(lockTimeout.toMillis()));
            query.setString(2, Long.toString(timeouts.statement().toMillis()));
            query.setString(3, Long.toString(pause.toMillis()));
            query.setString(4, Long.toString(transaction.toMillis()));
            try (ResultSet row = query.executeQuery()) {
                row.next();
                if (row.getBoolean(2)) {
                    throw new SQLException("the server is a standby", "25006");
                }
                if (row.getString(3).equals("off")) {
                    throw new RefusedSqlException(Sentences.SYNCHRONOUS_COMMIT_OFF);
                }
                ServerLife life =
                        ServerLife.of(
                                row.getBoolean(4) ? systemIdentifier(connection) : 0,
                                row.getLong(1));
                return row.getBoolean(9) ? CitusSchema.setUp(connection, settings, life) : life;
            }
        }
    }

    private static long systemIdentifier(Connection connection) throws SQLException {
        try (Statement query = connection.createStatement();
                ResultSet row = query.executeQuery(SYSTEM_IDENTIFIER)) {
            row.next();
            return row.getLong(1);
        }
    }

    private Properties properties() {
        PostgresSettings.Timeouts timeouts = settings.timeouts();
        Properties properties = new Properties();
        PGProperty.USER.set(properties, settings.login().user());
        if (settings.login().password() != null) {
            char[] password = settings.login().password().get();
            PGProperty.PASSWORD.set(properties, new String(password));
            Arrays.fill(password, '\0');
        }
        PGProperty.TARGET_SERVER_TYPE.set(properties, "primary");
        PGProperty.CONNECT_TIMEOUT.set(properties, seconds(timeouts.connect()));
        PGProperty.LOGIN_TIMEOUT.set(properties, seconds(timeouts.connect()));
        PGProperty.SOCKET_TIMEOUT.set(properties, seconds(timeouts.socket()));
        PGProperty.CANCEL_SIGNAL_TIMEOUT.set(properties, seconds(timeouts.connect()));
        PGProperty.TCP_KEEP_ALIVE.set(properties, true);
        PGProperty.APPLICATION_NAME.set(
                properties, "envelope " + settings.applicationId() + " " + settings.instance());
        PGProperty.PREPARE_THRESHOLD.set(properties, 1);
        PGProperty.BINARY_TRANSFER.set(properties, true);
        PGProperty.BINARY_TRANSFER_ENABLE.set(properties, BINARY_ARRAYS);
        // The detail of a server error quotes the row.
        PGProperty.LOG_SERVER_ERROR_DETAIL.set(properties, false);
        return properties;
    }

    /** In seconds for the driver, rounded up. */
    private static int seconds(Duration duration) {
        return (int) ((duration.toMillis() + 999) / 1000);
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the login is part of the settings");
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    /** Ignored: the timeout is part of the settings. */
    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return seconds(settings.timeouts().connect());
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
