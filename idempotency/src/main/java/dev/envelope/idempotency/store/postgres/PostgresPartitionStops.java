package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.store.PartitionStops;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.HeadersJson;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * What is parked of a partition, and whether it stays stopped, in Postgres.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
final class PostgresPartitionStops implements PartitionStops {

    private static final String PARKED = "SELECT count(*) FROM %1$s.parked WHERE source = ?";

    private static final String STOP =
            "INSERT INTO %1$s.stopped (source, reason, instance) VALUES (?, ?, ?)"
                    + " ON CONFLICT (source) DO NOTHING";

    private final Database database;
    private final PostgresSettings settings;

    PostgresPartitionStops(Database database, PostgresSettings settings) {
        this.database = database;
        this.settings = settings;
    }

    @Override
    public long parked(int source) {
        return database.call(
                database.background(),
                null,
                (connection, life) -> {
                    try (PreparedStatement statement = prepare(connection, PARKED)) {
                        statement.setInt(1, source);
                        try (ResultSet row = statement.executeQuery()) {
                            row.next();
                            return row.getLong(1);
                        }
                    }
                });
    }

    @Override
    public void stop(int source, String reason) {
        database.call(
                database.background(),
                null,
                (connection, life) -> {
                    try (PreparedStatement statement = prepare(connection, STOP)) {
                        statement.setInt(1, source);
                        statement.setString(2, HeadersJson.legible(reason));
                        statement.setString(3, settings.instance());
                        return statement.executeUpdate();
                    }
                });
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        return connection.prepareStatement(sql.formatted(settings.quotedSchema()));
    }
}
