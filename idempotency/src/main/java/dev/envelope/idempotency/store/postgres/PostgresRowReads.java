package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import dev.envelope.idempotency.store.row.RowReads;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.common.Uuid;

/**
 * The rows in Postgres for callers outside.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
final class PostgresRowReads implements RowReads {

    private static final String ROWS =
            "SELECT 0 AS place, r.key, CASE WHEN r.before < ?::bigint"
                    + " THEN r.state END, r.version, r.marks, r.updated_at,"
                    + " (extract(epoch FROM clock_timestamp() - r.updated_at) * 1000)::bigint,"
                    + " r.before >= ?::bigint"
                    + " FROM (SELECT s.*, coalesce(sum(octet_length(s.state::text)) OVER (ORDER BY"
                    + " k.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before"
                    + " FROM unnest(?::text[]) WITH ORDINALITY AS k(key, place)"
                    + " JOIN %1$s.state AS s ON s.key = k.key) AS r";

    /** In the same snapshot: what a checkpoint covers is in the rows that were read with it. */
    static final String READ =
            ROWS
                    + " UNION ALL SELECT p.place::int, NULL, NULL, latest.next_offset,"
                    + " latest.number::text, NULL, NULL, latest.is_former"
                    + " FROM unnest(?::text[], ?::int[]) WITH ORDINALITY"
                    + " AS p(topic_id, partition, place) CROSS JOIN LATERAL"
                    + " (SELECT s.number, c.next_offset, EXISTS (SELECT FROM %1$s.source AS o"
                    + " WHERE o.topic = s.topic AND o.partition = s.partition"
                    + " AND o.topic_id <> s.topic_id AND o.number > s.number) AS is_former"
                    + " FROM %1$s.source AS s"
                    + " JOIN %1$s.checkpoint AS c ON c.source = s.number AND c.slot = 0"
                    + " WHERE s.topic_id = p.topic_id::uuid AND s.partition = p.partition"
                    + " ORDER BY s.generation DESC LIMIT 1) AS latest";

    static final String MARKS = "SELECT key, marks FROM %1$s.state WHERE key = ANY (?::text[])";

    private final Tables tables;

    PostgresRowReads(Tables tables) {
        this.tables = tables;
    }

    @Override
    public Look read(Collection<String> keys, Collection<Log> logs, long mostBytes) {
        List<String> asked = List.copyOf(keys);
        List<Log> of = List.copyOf(logs);
        Look look = new Look(new HashMap<>(), new HashMap<>());
        return tables.call(
                null,
                (statements, life) -> {
                    statements.query(
                            READ,
                            row -> take(row, of, look),
                            mostBytes,
                            mostBytes,
                            BinaryArray.ofTexts(asked, key -> key),
                            BinaryArray.ofTexts(of, log -> toJava(log.topicId()).toString()),
                            BinaryArray.ofInts(of, Log::partition));
                    return look;
                });
    }

    private static void take(ResultSet row, List<Log> logs, Look into) throws SQLException {
        int place = row.getInt(1);
        if (place > 0) {
            into.logs()
                    .put(
                            logs.get(place - 1),
                            new Progress(
                                    Integer.parseInt(row.getString(5)),
                                    row.getLong(4),
                                    row.getBoolean(8)));
            return;
        }
        into.rows()
                .put(
                        row.getString(2),
                        new Row(
                                row.getBytes(3),
                                row.getLong(4),
                                Marks.parse(row.getString(5)),
                                row.getObject(6, OffsetDateTime.class).toInstant(),
                                Duration.ofMillis(Math.max(0, row.getLong(7))),
                                row.getBoolean(8)));
    }

    @Override
    public Map<String, Marks> marks(Collection<String> keys) {
        List<String> asked = List.copyOf(keys);
        return tables.call(
                null,
                (statements, life) -> {
                    Map<String, Marks> found = new HashMap<>();
                    statements.query(
                            MARKS,
                            row -> found.put(row.getString(1), Marks.parse(row.getString(2))),
                            BinaryArray.ofTexts(asked, key -> key));
                    return found;
                });
    }

    private static UUID toJava(Uuid id) {
        return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }
}
