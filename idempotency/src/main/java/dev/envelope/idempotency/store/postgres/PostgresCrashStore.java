package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The table of messages that processes have died of.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
final class PostgresCrashStore implements CrashStore {

    /** What a checkpoint has passed is done, whoever did it. */
    private static final String SUSPECTS =
            "WITH done AS (DELETE FROM %1$s.crash AS k USING %1$s.checkpoint AS c"
                    + " WHERE c.source = k.source AND c.slot = 0"
                    + " AND k.record_offset < c.next_offset)"
                    + " SELECT source, record_offset, times FROM %1$s.crash";

    private static final String COUNT =
            "INSERT INTO %1$s.crash AS k (source, record_offset, row_key, times, instance)"
                    + " SELECT n.source, n.record_offset, n.row_key, 1, ?"
                    + " FROM unnest(?::int[], ?::bigint[], ?::text[])"
                    + " AS n(source, record_offset, row_key)"
                    + " ON CONFLICT (source, record_offset) DO UPDATE SET times = k.times + 1,"
                    + " instance = EXCLUDED.instance, died_at = now()";

    private static final String COUNT_UP_TO =
            "INSERT INTO %1$s.crash AS k (source, record_offset, row_key, times, instance)"
                    + " VALUES (?, ?, ?, ?, ?)"
                    + " ON CONFLICT (source, record_offset) DO UPDATE"
                    + " SET times = greatest(k.times, EXCLUDED.times),"
                    + " instance = EXCLUDED.instance, died_at = now()";

    private static final String FORGET =
            "DELETE FROM %1$s.crash WHERE source = ? AND record_offset = ?";

    private final Database database;
    private final PostgresSettings settings;

    PostgresCrashStore(Database database, PostgresSettings settings) {
        this.database = database;
        this.settings = settings;
    }

    @Override
    public List<Suspect> suspects() {
        return database.call(
                database.background(),
                null,
                (connection, life) -> {
                    List<Suspect> found = new ArrayList<>();
                    try (PreparedStatement statement = prepare(connection, SUSPECTS);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            found.add(new Suspect(row.getInt(1), row.getLong(2), row.getInt(3)));
                        }
                    }
                    return found;
                });
    }

    @Override
    public void count(Collection<Message> messages) {
        List<Message> each = List.copyOf(messages);
        database.call(
                database.background(),
                null,
                (connection, life) -> {
                    try (PreparedStatement statement = prepare(connection, COUNT)) {
                        statement.setString(1, settings.instance());
                        statement.setObject(2, BinaryArray.ofInts(each, it -> it.epoch().source()));
                        statement.setObject(3, BinaryArray.ofLongs(each, Message::offset));
                        statement.setObject(4, BinaryArray.ofTexts(each, Message::key));
                        return statement.executeUpdate();
                    }
                });
    }

    @Override
    public void countUpTo(Message message, int times) {
        database.call(
                database.background(),
                null,
                (connection, life) -> {
                    try (PreparedStatement statement = prepare(connection, COUNT_UP_TO)) {
                        statement.setInt(1, message.epoch().source());
                        statement.setLong(2, message.offset());
                        statement.setString(3, message.key());
                        statement.setInt(4, times);
                        statement.setString(5, settings.instance());
                        return statement.executeUpdate();
                    }
                });
    }

    @Override
    public void forget(Message message) {
        database.call(
                database.background(),
                null,
                (connection, life) -> {
                    try (PreparedStatement statement = prepare(connection, FORGET)) {
                        statement.setInt(1, message.epoch().source());
                        statement.setLong(2, message.offset());
                        return statement.executeUpdate();
                    }
                });
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        return connection.prepareStatement(sql.formatted(settings.quotedSchema()));
    }
}
