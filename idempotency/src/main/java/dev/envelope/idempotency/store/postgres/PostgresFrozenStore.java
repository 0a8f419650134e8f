package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.store.parked.FrozenKeys;
import dev.envelope.idempotency.store.parked.FrozenStore;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * How much is parked, in Postgres: the sums of {@code parked_tally}.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
final class PostgresFrozenStore implements FrozenStore {

    /** Beyond this number of rows of differences, they are summed up. */
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

    private final Tables tables;
    private final String schema;

    PostgresFrozenStore(Tables tables, String schema) {
        this.tables = tables;
        this.schema = schema;
    }

    @Override
    public List<FrozenKeys> of(Collection<TopicPartition> partitions) {
        List<FrozenKeys> found =
                tables.call(
                        null,
                        (statements, life) ->
                                statements.list(
                                        LOOK, PostgresFrozenStore::frozen, arrays(partitions)));
        sumUp();
        return found;
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
        tables.transaction(
                null,
                (statements, life) -> {
                    isAlone(statements, "pg_advisory_xact_lock");
                    return statements.update(COUNT_ANEW, arrays(partitions));
                });
    }

    /** Sums up the differences if there are many, unless another process is doing it. */
    private void sumUp() {
        tables.transaction(
                null,
                (statements, life) ->
                        isAlone(statements, "pg_try_advisory_xact_lock")
                                ? statements.update(SUM_UP)
                                : 0);
    }

    /**
     * Takes the lock under which sums are replaced, so that one process at a time does it and sees
     * the result of the one before: two at once would both add what they have counted. Parking
     * needs no lock.
     */
    private boolean isAlone(Statements statements, String lock) throws SQLException {
        String sql = "SELECT pg_catalog.%s(pg_catalog.hashtextextended(?, 0))::text";
        return statements.one(
                sql.formatted(lock),
                row -> !"false".equals(row.getString(1)),
                "envelope tally " + schema);
    }

    private static Object[] arrays(Collection<TopicPartition> partitions) throws SQLException {
        List<TopicPartition> all = List.copyOf(partitions);
        return new Object[] {
            BinaryArray.ofTexts(all, TopicPartition::topic),
            BinaryArray.ofInts(all, TopicPartition::partition)
        };
    }
}
