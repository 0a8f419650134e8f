package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.UnavailableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A connection for what an operator asks, of its own: the engine's are never waited for, and it
 * waits for no lock of theirs.
 *
 * <p>Threads: one thread.
 */
final class OperatorConnection implements AutoCloseable {

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);

    /** Takes one row of an answer. */
    interface EachRow {
        void take(ResultSet row) throws SQLException;
    }

    private final PostgresSettings settings;
    private final Connection connection;

    private OperatorConnection(PostgresSettings settings, Connection connection) {
        this.settings = settings;
        this.connection = connection;
    }

    /**
     * Connects.
     *
     * @throws UnavailableException if the database can't be used
     */
    static OperatorConnection open(PostgresSettings settings) {
        try {
            return new OperatorConnection(
                    settings, new Connector(settings, LOCK_TIMEOUT).getConnection());
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }

    /**
     * Asks, and has each row of the answer taken.
     *
     * @param sql with {@code %1$s} for the schema
     */
    void query(String sql, EachRow each, @Nullable Object... parameters) {
        try (PreparedStatement statement =
                connection.prepareStatement(sql.formatted(settings.quotedSchema()))) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    each.take(row);
                }
            }
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // It ends with the process.
        }
    }
}
