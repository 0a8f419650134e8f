package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.UnavailableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What an operator sees of partitions that stay stopped, and where he resumes them. Whoever has a
 * partition sees that within a second or two.
 *
 * <p>Threads: one thread, one connection.
 */
public final class StoppedCatalog implements AutoCloseable {

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);

    private static final String LIST =
            "SELECT s.topic || '-' || s.partition, t.reason, t.stopped_at FROM %1$s.stopped AS t"
                    + " JOIN %1$s.source AS s ON s.number = t.source"
                    + " ORDER BY s.topic, s.partition";

    /** The request is done as soon as it is made; it stays as a record of who made it. */
    private static final String RESUME =
            "WITH gone AS (DELETE FROM %1$s.stopped AS t USING %1$s.source AS s"
                    + " WHERE s.number = t.source AND s.topic || '-' || s.partition = ?"
                    + " RETURNING t.reason), asked AS (INSERT INTO %1$s.request"
                    + " (row_key, action, requested_by, done_at, answer)"
                    + " SELECT ?, 'resume', ?, now(), 'resumed; it was stopped because ' ||"
                    + " min(reason) FROM gone HAVING count(*) > 0)"
                    + " SELECT count(*) FROM gone";

    /**
     * A partition that is stopped.
     *
     * @param name topic and number, with a dash between them
     */
    public record StoppedPartition(String name, String reason, Instant since) {}

    private final PostgresSettings settings;
    private final Connection connection;

    private StoppedCatalog(PostgresSettings settings, Connection connection) {
        this.settings = settings;
        this.connection = connection;
    }

    /**
     * Connects.
     *
     * @throws UnavailableException if the database can't be reached
     */
    public static StoppedCatalog open(PostgresSettings settings) {
        try {
            return new StoppedCatalog(
                    settings, new Connector(settings, LOCK_TIMEOUT).getConnection());
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }

    /** All that are stopped. */
    public List<StoppedPartition> all() {
        try (PreparedStatement statement = prepare(LIST);
                ResultSet row = statement.executeQuery()) {
            List<StoppedPartition> found = new ArrayList<>();
            while (row.next()) {
                found.add(
                        new StoppedPartition(
                                row.getString(1),
                                row.getString(2),
                                row.getTimestamp(3).toInstant()));
            }
            return found;
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }

    /**
     * Lets a partition go on.
     *
     * @return false if it was not stopped
     */
    public boolean resume(String name, String who) {
        try (PreparedStatement statement = prepare(RESUME)) {
            statement.setString(1, name);
            statement.setString(2, name);
            statement.setString(3, who);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1) > 0;
            }
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }

    private PreparedStatement prepare(String sql) throws SQLException {
        return connection.prepareStatement(sql.formatted(settings.quotedSchema()));
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }
}
