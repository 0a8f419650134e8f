package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.store.FrozenKeys;
import dev.envelope.idempotency.store.FrozenStore;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * How much stands parked, in Postgres: the sums of {@code parked_tally}.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
final class PostgresFrozenStore implements FrozenStore {

    /** With more differences than that somebody makes one of them. */
    private static final int MOST_DIFFERENCES = 256;

    private static final String WANTED =
            "(SELECT s.number, s.topic, s.partition FROM unnest(?::text[], ?::int[])"
                    + " AS w(topic, partition) JOIN %1$s.source AS s"
                    + " ON s.topic = w.topic AND s.partition = w.partition)";

    private static final String LOOK =
            "SELECT s.topic, s.partition, t.keys, t.messages, p.row_key, p.record_offset, p.reason,"
                    + " p.error, (extract(epoch FROM now() - p.parked_at) * 1000)::bigint"
                    + " FROM "
                    + WANTED
                    + " AS s JOIN (SELECT source, sum(keys)::bigint AS keys,"
                    + " sum(messages)::bigint AS messages"
                    + " FROM %1$s.parked_tally GROUP BY source) AS t ON t.source = s.number"
                    + " JOIN LATERAL (SELECT * FROM %1$s.parked AS a WHERE a.source = s.number"
                    + " ORDER BY a.record_offset LIMIT 1) AS p ON true ORDER BY p.parked_at";

    private static final String COUNT_ANEW =
            "WITH wanted AS "
                    + WANTED
                    + ", gone AS (DELETE FROM %1$s.parked_tally"
                    + " WHERE source IN (SELECT number FROM wanted))"
                    + " INSERT INTO %1$s.parked_tally (source, messages, keys)"
                    + " SELECT source, count(*), count(DISTINCT row_key) FROM %1$s.parked"
                    + " WHERE source IN (SELECT number FROM wanted) GROUP BY source";

    private static final String SUM_UP =
            "WITH gone AS (DELETE FROM %1$s.parked_tally WHERE"
                    + " (SELECT count(*) - count(DISTINCT source) FROM %1$s.parked_tally) > "
                    + MOST_DIFFERENCES
                    + " RETURNING source, messages, keys)"
                    + " INSERT INTO %1$s.parked_tally (source, messages, keys)"
                    + " SELECT source, sum(messages), sum(keys) FROM gone GROUP BY source"
                    + " HAVING sum(messages) <> 0 OR sum(keys) <> 0";

    private final Database database;
    private final PostgresSettings settings;

    PostgresFrozenStore(Database database, PostgresSettings settings) {
        this.database = database;
        this.settings = settings;
    }

    @Override
    public List<FrozenKeys> of(Collection<TopicPartition> partitions) {
        return database.call(
                database.background(),
                null,
                (connection, life) -> {
                    List<FrozenKeys> found = new ArrayList<>();
                    try (PreparedStatement statement = prepare(connection, LOOK, partitions);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            found.add(frozen(row));
                        }
                    }
                    sumUp(connection);
                    return found;
                });
    }

    private static FrozenKeys frozen(ResultSet row) throws SQLException {
        return new FrozenKeys(
                new TopicPartition(row.getString(1), row.getInt(2)),
                row.getLong(3),
                row.getLong(4),
                new FrozenKeys.First(
                        row.getString(5),
                        row.getLong(6),
                        row.getString(7),
                        row.getString(8),
                        Duration.ofMillis(row.getLong(9))));
    }

    @Override
    public void countAnew(Collection<TopicPartition> partitions) {
        database.call(
                database.background(),
                null,
                (connection, life) -> {
                    connection.setAutoCommit(false);
                    isAlone(connection, "pg_advisory_xact_lock");
                    change(connection, COUNT_ANEW, partitions);
                    connection.commit();
                    return true;
                });
    }

    /** Where there are many, also of what is redriven by now; if nobody else is at it. */
    private void sumUp(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        if (isAlone(connection, "pg_try_advisory_xact_lock")) {
            change(connection, SUM_UP, List.of());
        }
        connection.commit();
    }

    /**
     * One at a time changes the sums, each after having seen what the one before it has done: of
     * two at once, each would add what both have counted. Who parks meanwhile is not concerned.
     */
    private boolean isAlone(Connection connection, String lock) throws SQLException {
        String sql =
                "SELECT pg_catalog.%s(pg_catalog.hashtextextended('envelope tally %s', 0))::text"
                        .formatted(lock, settings.schema());
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return !"false".equals(row.getString(1));
        }
    }

    private void change(Connection connection, String sql, Collection<TopicPartition> partitions)
            throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, partitions)) {
            statement.executeUpdate();
        }
    }

    private PreparedStatement prepare(
            Connection connection, String sql, Collection<TopicPartition> partitions)
            throws SQLException {
        PreparedStatement statement =
                connection.prepareStatement(sql.formatted(settings.quotedSchema()));
        if (!partitions.isEmpty()) {
            List<TopicPartition> all = List.copyOf(partitions);
            statement.setObject(1, BinaryArray.ofTexts(all, TopicPartition::topic));
            statement.setObject(2, BinaryArray.ofInts(all, TopicPartition::partition));
        }
        return statement;
    }
}
