package dev.envelope.idempotency.store.postgres.operator;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection for operators' queries, separate from the pools of the engine, with a short lock
 * timeout.
 *
 * <p>Threads: one thread.
 */
public final class OperatorConnection implements AutoCloseable {

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);

    private final PostgresSettings settings;
    private final Connection connection;
    private final boolean isOnWorker;
    private final Consumer<OperatorConnection> whenDone;
    private boolean hasFailed;

    private OperatorConnection(
            PostgresSettings settings, Connector connector, Consumer<OperatorConnection> whenDone)
            throws SQLException {
        this.settings = settings;
        this.connection = connector.getConnection();
        this.isOnWorker = connector.lifeOf(connection).isOnWorker();
        this.whenDone = whenDone;
    }

    /**
     * Connects.
     *
     * @throws UnavailableException if the database can't be used
     */
    static OperatorConnection open(PostgresSettings settings) {
        return open(settings, OperatorConnection::end);
    }

    /**
     * Connects.
     *
     * @param whenDone gets the connection when it is closed, and may keep it for the next caller
     * @throws UnavailableException if the database can't be used
     */
    static OperatorConnection open(
            PostgresSettings settings, Consumer<OperatorConnection> whenDone) {
        try {
            return new OperatorConnection(
                    settings, new Connector(settings, LOCK_TIMEOUT), whenDone);
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }

    /**
     * Runs a query and passes each row to a function.
     *
     * @param sql with {@code %1$s} for the schema
     */
    void query(String sql, Statements.EachRow each, @Nullable Object... parameters) {
        try {
            new Statements(connection, settings.quotedSchema()).query(sql, each, parameters);
        } catch (SQLException e) {
            hasFailed = true;
            throw new SqlErrors(settings).unavailable(e);
        }
    }

    /** Whether the schema is on a worker of Citus. */
    boolean isOnWorker() {
        return isOnWorker;
    }

    /** Whether a query has failed. */
    boolean hasFailed() {
        return hasFailed;
    }

    /** Whether the connection is still valid. */
    boolean isOfUse() {
        try {
            return connection.isValid(1);
        } catch (SQLException e) {
            throw new InvariantViolation("one second is a time to wait for an answer", e);
        }
    }

    @Override
    public void close() {
        whenDone.accept(this);
    }

    /** Disconnects. */
    void end() {
        try {
            connection.close();
        } catch (SQLException e) {
            // The connection ends with the process at the latest.
        }
    }
}
