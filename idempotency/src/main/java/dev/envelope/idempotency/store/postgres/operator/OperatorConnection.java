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
 * A connection for what an operator asks, of its own: the engine's are never waited for, and it
 * waits for no lock of theirs.
 *
 * <p>Threads: one thread.
 */
public final class OperatorConnection implements AutoCloseable {

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);

    private final PostgresSettings settings;
    private final Connection connection;
    private final Consumer<OperatorConnection> whenDone;
    private boolean hasFailed;

    private OperatorConnection(
            PostgresSettings settings,
            Connection connection,
            Consumer<OperatorConnection> whenDone) {
        this.settings = settings;
        this.connection = connection;
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
     * @param whenDone is given it when it is closed, and may keep it for the next who asks
     * @throws UnavailableException if the database can't be used
     */
    static OperatorConnection open(
            PostgresSettings settings, Consumer<OperatorConnection> whenDone) {
        try {
            return new OperatorConnection(
                    settings, new Connector(settings, LOCK_TIMEOUT).getConnection(), whenDone);
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }

    /**
     * Asks, and has each row of the answer taken.
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

    /** Whether something that was asked could not be answered. */
    boolean hasFailed() {
        return hasFailed;
    }

    /** Whether the server still answers on it. */
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
            // It ends with the process.
        }
    }
}
