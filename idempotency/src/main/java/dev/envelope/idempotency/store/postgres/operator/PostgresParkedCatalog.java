package dev.envelope.idempotency.store.postgres.operator;

import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.HeadersJson;
import dev.envelope.idempotency.store.postgres.sql.ParkedSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Parked messages, read on one connection. Threads: one thread. */
public final class PostgresParkedCatalog implements ParkedCatalog {

    private static final String KEYS =
            "SELECT c.row_key, c.messages, p.position, s.topic || '-' || s.partition || '@' ||"
                    + " p.record_offset, p.reason, p.attempts, p.error, p.parked_at"
                    + " FROM (SELECT row_key, min(position) AS first, count(*) AS messages"
                    + " FROM %1$s.parked WHERE row_key IS NOT NULL GROUP BY row_key"
                    + " HAVING min(position) > ? AND (?::text IS NULL OR bool_or(reason = ?))"
                    + " ORDER BY first LIMIT ?) AS c JOIN %1$s.parked AS p ON p.position = c.first"
                    + " JOIN %1$s.source AS s ON s.number = p.source ORDER BY c.first";

    /** Keys whose first parked message matches. */
    private static final String SELECTED =
            "SELECT c.row_key, c.messages, p.position, s.topic || '-' || s.partition || '@' ||"
                    + " p.record_offset, p.reason, p.attempts, p.error, p.parked_at"
                    + " FROM (SELECT ?::text AS why, ?::text AS partition, ?::timestamptz AS since,"
                    + " ?::timestamptz AS until) AS q CROSS JOIN"
                    + " (SELECT row_key, min(position) AS first, count(*) AS messages"
                    + " FROM %1$s.parked WHERE row_key IS NOT NULL GROUP BY row_key"
                    + " HAVING min(position) > ?) AS c"
                    + " JOIN %1$s.parked AS p ON p.position = c.first"
                    + " JOIN %1$s.source AS s ON s.number = p.source"
                    + " WHERE (q.why IS NULL OR p.reason = q.why OR position(q.why IN p.error) > 0)"
                    + " AND (q.partition IS NULL OR s.topic || '-' || s.partition = q.partition)"
                    + " AND (q.since IS NULL OR p.parked_at >= q.since)"
                    + " AND (q.until IS NULL OR p.parked_at < q.until)"
                    + " ORDER BY c.first LIMIT ?";

    private static final String COUNT =
            "SELECT count(DISTINCT row_key) FROM %1$s.parked WHERE row_key IS NOT NULL";

    private static final int SELECTED_AT_ONCE = 1_000;

    private static final String REASONS =
            "SELECT reason, count(row_key), count(*) - count(row_key) FROM %1$s.parked"
                    + " GROUP BY reason ORDER BY reason";

    private static final int EXPORTED_AT_ONCE = 100;

    private static final int MOST_HEADER_BYTES = 4 * MOST_BYTES;

    /** In base64: whole groups of four, for at least one byte more than is shown. */
    private static final int MOST_HEADER_CHARACTERS = 4 * (MOST_BYTES / 3 + 2);

    private static final String COLUMNS =
            "p.position, p.row_key, s.topic || '-' || s.partition || '@' ||"
                    + " p.record_offset, p.record_timestamp, p.reason, p.attempts, p.error,"
                    + " p.parked_at, p.failed_at, octet_length(p.value), ";

    private static final String CUT =
            "substring(p.key from 1 for %1$d), substring(p.value from 1 for %1$d),"
                            .formatted(MOST_BYTES)
                    + " CASE WHEN octet_length(p.headers::text) <= "
                    + MOST_HEADER_BYTES
                    + " THEN p.headers ELSE (SELECT json_agg(json_build_object('name',"
                    + " h.header ->> 'name', 'value', left(h.header ->> 'value', "
                    + MOST_HEADER_CHARACTERS
                    + ")) ORDER BY h.place) FROM json_array_elements(p.headers)"
                    + " WITH ORDINALITY AS h(header, place)) END";

    private static final String MESSAGES =
            "SELECT "
                    + COLUMNS
                    + CUT
                    + " FROM %1$s.parked AS p"
                    + " JOIN %1$s.source AS s ON s.number = p.source WHERE ";

    private static final String WHOLE =
            ParkedSql.first(
                    COLUMNS + "p.key, p.value, p.headers",
                    "(?::text IS NULL OR row_key = ?) AND position > ?");

    private static final String OF_KEY =
            MESSAGES
                    + "(?::text IS NULL OR p.row_key = ?) AND p.position > ?"
                    + " ORDER BY p.position LIMIT ?";

    private static final String OF_NO_KEY =
            MESSAGES + "p.row_key IS NULL AND p.position > ? ORDER BY p.position LIMIT ?";

    /**
     * Records in {@code dropped} the messages that may be read again, and deletes there those that
     * can't be any more.
     */
    private static final String DELETE_OF_NO_KEY =
            "WITH gone AS (DELETE FROM %1$s.parked WHERE row_key IS NULL"
                    + " AND position = ANY (?::bigint[])"
                    + " RETURNING position, source, row_key, record_offset, leader_epoch),"
                    + " forgotten AS (DELETE FROM %1$s.dropped AS d WHERE "
                    + ParkedSql.isPassed("d")
                    + "), traced AS (INSERT INTO %1$s.dropped (source, record_offset, leader_epoch)"
                    + " SELECT g.source, g.record_offset, g.leader_epoch FROM gone AS g WHERE NOT "
                    + ParkedSql.isPassed("g")
                    + " ON CONFLICT DO NOTHING), noted AS (INSERT INTO %1$s.request"
                    + " (row_key, action, requested_by, done_at, answer) SELECT '',"
                    + " 'drop without row', ?, now(), 'dropped ' || count(*) FROM gone), "
                    + ParkedSql.TALLY_OF_GONE
                    + " SELECT position FROM gone ORDER BY position";

    private final OperatorConnection connection;

    PostgresParkedCatalog(OperatorConnection connection) {
        this.connection = connection;
    }

    @Override
    public List<ParkedKey> keys(@Nullable String reason, long after, int most) {
        List<ParkedKey> keys = new ArrayList<>();
        connection.query(KEYS, row -> keys.add(key(row)), after, reason, reason, most);
        return keys;
    }

    private static ParkedKey key(ResultSet row) throws SQLException {
        return new ParkedKey(
                row.getString(1),
                row.getLong(2),
                row.getLong(3),
                row.getString(4),
                row.getString(5),
                row.getInt(6),
                row.getString(7),
                row.getTimestamp(8).toInstant());
    }

    @Override
    public long countKeys() {
        List<Long> counts = new ArrayList<>();
        connection.query(COUNT, row -> counts.add(row.getLong(1)));
        return counts.get(0);
    }

    @Override
    public List<ParkedKey> selected(Selection which, int most) {
        List<ParkedKey> all = new ArrayList<>();
        long after = 0;
        int found;
        do {
            found = addSelected(which, after, all);
            after = found == 0 ? after : all.get(all.size() - 1).position();
        } while (found == SELECTED_AT_ONCE && all.size() < most);
        return all;
    }

    private int addSelected(Selection which, long after, List<ParkedKey> to) {
        int before = to.size();
        connection.query(
                SELECTED,
                row -> to.add(key(row)),
                which.why(),
                which.partition(),
                time(which.since()),
                time(which.until()),
                after,
                SELECTED_AT_ONCE);
        return to.size() - before;
    }

    private static @Nullable OffsetDateTime time(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }

    @Override
    public Reasons reasons() {
        Map<String, Long> withRow = new LinkedHashMap<>();
        Map<String, Long> withoutRow = new LinkedHashMap<>();
        connection.query(
                REASONS,
                row -> {
                    put(withRow, row.getString(1), row.getLong(2));
                    put(withoutRow, row.getString(1), row.getLong(3));
                });
        return new Reasons(withRow, withoutRow);
    }

    private static void put(Map<String, Long> counts, String reason, long count) {
        if (count > 0) {
            counts.put(reason, count);
        }
    }

    @Override
    public List<Entry> messages(@Nullable String key, long after, int most) {
        List<Entry> messages = new ArrayList<>();
        connection.query(OF_KEY, row -> messages.add(entry(row)), key, key, after, most);
        return messages;
    }

    @Override
    public List<Entry> messagesWithoutRow(long after, int most) {
        List<Entry> messages = new ArrayList<>();
        connection.query(OF_NO_KEY, row -> messages.add(entry(row)), after, most);
        return messages;
    }

    @Override
    public List<Long> deleteWithoutRow(List<Long> positions, String by) {
        List<Long> deleted = new ArrayList<>();
        connection.query(
                DELETE_OF_NO_KEY,
                row -> deleted.add(row.getLong(1)),
                BinaryArray.ofLongs(positions, position -> position),
                by);
        return deleted;
    }

    @Override
    public void export(@Nullable String key, Consumer<Entry> to) {
        List<Entry> some = whole(key, 0);
        while (!some.isEmpty()) {
            some.forEach(to);
            some = whole(key, some.get(some.size() - 1).position());
        }
    }

    private List<Entry> whole(@Nullable String key, long after) {
        List<Entry> messages = new ArrayList<>();
        connection.query(WHOLE, row -> messages.add(entry(row)), key, key, after, EXPORTED_AT_ONCE);
        return messages;
    }

    private static Entry entry(ResultSet row) throws SQLException {
        List<Header> headers = List.of(HeadersJson.read(row.getBytes(13)).toArray());
        Timestamp failedAgain = row.getTimestamp(9);
        return new Entry(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                row.getLong(4),
                row.getString(5),
                row.getInt(6),
                row.getString(7),
                row.getTimestamp(8).toInstant(),
                failedAgain == null ? null : failedAgain.toInstant(),
                row.getInt(10),
                row.getBytes(11),
                row.getBytes(12),
                headers);
    }

    @Override
    public void close() {
        connection.close();
    }
}
