package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.Replacement;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.HeadersJson;
import dev.envelope.idempotency.store.postgres.sql.ParkedSql;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import dev.envelope.idempotency.store.row.Snapshot;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * Parked messages and requests in Postgres.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
final class PostgresParkedStore implements ParkedStore {

    static final int MOST_BYTES_NAMED = 256 << 20;

    private static final String COLUMNS =
            " number, row_key, action, position, version, state, broken_off";

    private static final String TAKE =
            "WITH seen AS ("
                    + InstanceName.SEEN
                    + ") UPDATE %1$s.request SET taken_by = ?, broken_off = broken_off"
                    + " + CASE WHEN taken_by <> ? THEN 1 ELSE 0 END,"
                    + " taken_until = now() + ? * interval '1 ms', not_before = NULL"
                    + " WHERE number = (SELECT number"
                    + " FROM %1$s.request WHERE done_at IS NULL"
                    + " AND action IN ('redrive', 'skip', 'skip failing', 'drop', 'quarantine', 'set',"
                    + " 'delete', 'edit')"
                    + " AND (taken_until IS NULL OR taken_until < now() OR (taken_by = ?"
                    + " AND coalesce(not_before <= now(), true)))"
                    + " ORDER BY coalesce(not_before, requested_at), number LIMIT 1"
                    + " FOR UPDATE SKIP LOCKED)"
                    + " RETURNING"
                    + COLUMNS;

    private static final String REST =
            "UPDATE %1$s.request SET not_before = now() + ? * interval '1 ms',"
                    + " taken_until = now() + ? * interval '1 ms',"
                    + " taken_by = CASE WHEN ? THEN NULL ELSE taken_by END"
                    + " WHERE number = ? AND taken_by = ? AND done_at IS NULL";

    private static final String LEAVE =
            "WITH returned AS (UPDATE %1$s.request SET taken_by = NULL, taken_until = NULL,"
                    + " not_before = NULL WHERE taken_by = ? AND done_at IS NULL)"
                    + " DELETE FROM %1$s.instance WHERE name = ? AND start_id = ?";

    private static final String RENEW =
            "UPDATE %1$s.request SET taken_until = now() + ? * interval '1 ms'"
                    + " WHERE number = ? AND taken_by = ? AND done_at IS NULL RETURNING"
                    + COLUMNS;

    private static final String ANSWER =
            "UPDATE %1$s.request SET done_at = now(), answer = ?, taken_until = NULL,"
                    + " state = NULL"
                    + " WHERE number = ? AND taken_by = ? AND done_at IS NULL";

    private static final String FIRST =
            ParkedSql.first(
                    "p.position, s.topic, s.partition, p.source, p.record_offset, p.leader_epoch,"
                            + " p.record_timestamp, p.key, p.value, p.headers",
                    "row_key = ?");

    /** Of large messages fewer: deleting takes time by their bytes. None is read for that. */
    private static final String POSITIONS =
            "SELECT position FROM (SELECT position, bytes, sum(bytes) OVER (ORDER BY position"
                    + " ROWS UNBOUNDED PRECEDING) AS bytes_up_to_it FROM (SELECT position,"
                    + " coalesce(octet_length(value), 0) AS bytes FROM %1$s.parked"
                    + " WHERE row_key = ? AND position <= ? ORDER BY position LIMIT ?) AS f) AS p"
                    + " WHERE bytes_up_to_it <= "
                    + MOST_BYTES_NAMED
                    + " OR bytes_up_to_it = bytes ORDER BY position";

    /** In one look at both, so that nothing is parked in between. */
    private static final String UNCOUNTED =
            "SELECT (SELECT count(*) FROM %1$s.parked WHERE row_key = ?)"
                    + " - coalesce((SELECT parked FROM %1$s.state WHERE key = ?), 0)";

    /** The last message of each source, and how many there are of it. */
    private static final String LAST =
            "SELECT DISTINCT ON (source) source, record_offset, leader_epoch,"
                    + " count(*) OVER (PARTITION BY source) FROM %1$s.parked WHERE row_key = ?"
                    + " ORDER BY source, record_offset DESC, leader_epoch DESC";

    /** Whoever takes one of the messages out moves the row on: so this and the version agree. */
    private static final String ARE_THERE =
            " AND (SELECT count(*) FROM %1$s.parked WHERE position = ANY (?::bigint[])) = ?";

    private static final String UPDATE =
            "WITH saved AS (UPDATE %1$s.state SET state = ?::json, version = ?, marks = ?,"
                    + " ids = ?, parked = ?, updated_at = now() WHERE key = ? AND version = ? AND "
                    + ServerLife.START_MICROS
                    + " = ?"
                    + ARE_THERE
                    + " RETURNING key)";

    /** Takes what the update takes; where somebody has made the row meanwhile, none is saved. */
    private static final String INSERT =
            "WITH saved AS (INSERT INTO %1$s.state (state, version, marks, ids, parked, key)"
                    + " SELECT n.* FROM (SELECT ?::json, ?::bigint, ?::text, ?::bytea, ?::int,"
                    + " ?::text) AS n WHERE ? = 0 AND "
                    + ServerLife.START_MICROS
                    + " = ?"
                    + ARE_THERE
                    + " ON CONFLICT (key) DO NOTHING RETURNING key)";

    private static final String SAVED =
            " SELECT " + ServerLife.START_MICROS + ", count(*) FROM saved";

    private static final String WITHOUT_PARKED =
            ", gone AS (DELETE FROM %1$s.parked WHERE position = ANY (?::bigint[])"
                    + " AND EXISTS (SELECT FROM saved) RETURNING source, row_key, position), "
                    + ParkedSql.TALLY_OF_GONE
                    + SAVED;

    private static final String FAILED_AGAIN =
            "UPDATE %1$s.parked SET reason = ?, error = ?, attempts = attempts + 1,"
                    + " failed_at = now() WHERE position = ?";

    /** With what is deleted goes what stood in its messages. */
    private static final String REPAIRED =
            ", noted AS (UPDATE %1$s.request SET version = NULL WHERE number = ?"
                    + " AND EXISTS (SELECT FROM saved) RETURNING row_key, action), erased AS"
                    + " (DELETE FROM %1$s.replacement AS r USING noted WHERE r.row_key ="
                    + " noted.row_key AND noted.action = 'delete')"
                    + SAVED;

    /** What stood there first stays noted, however often it is replaced. */
    private static final String REPLACED =
            ", replaced AS (SELECT p.*, r.number, r.requested_by, decode(r.state, 'base64') AS next"
                    + " FROM %1$s.request AS r JOIN %1$s.parked AS p ON p.position = r.position"
                    + " WHERE r.number = ? AND EXISTS (SELECT FROM saved)), put AS"
                    + " (UPDATE %1$s.parked AS p SET value = n.next FROM replaced AS n"
                    + " WHERE p.position = n.position), kept AS (INSERT INTO %1$s.replacement"
                    + " (source, record_offset, leader_epoch, row_key, value, original, replaced_by)"
                    + " SELECT source, record_offset, leader_epoch, row_key, next, value,"
                    + " requested_by FROM replaced ON CONFLICT (source, record_offset, leader_epoch)"
                    + " DO UPDATE SET value = excluded.value, replaced_by = excluded.replaced_by,"
                    + " replaced_at = now()), noted AS (UPDATE %1$s.request AS r SET version = NULL"
                    + " FROM replaced AS n WHERE r.number = n.number)"
                    + SAVED;

    private static final String REPLACEMENTS =
            "SELECT source, record_offset, leader_epoch, value FROM %1$s.replacement";

    private final Tables tables;
    private final String instance;
    private final String startId;
    private final String taker;

    /**
     * @param taker under which requests are taken: a process that is started again may have its
     *     former name, but not its requests
     */
    PostgresParkedStore(Tables tables, String instance, String startId, String taker) {
        this.tables = tables;
        this.instance = instance;
        this.startId = startId;
        this.taker = taker;
    }

    @Override
    public Incarnation incarnation() {
        return tables.call(null, (statements, life) -> life.incarnation());
    }

    @Override
    public Optional<Request> take(Duration lease) {
        return tables.first(
                TAKE,
                PostgresParkedStore::request,
                instance,
                startId,
                taker,
                taker,
                lease.toMillis(),
                taker);
    }

    @Override
    public void rest(Request request, Duration pause, Duration lease) {
        tables.update(
                REST,
                pause.toMillis(),
                (pause.isZero() ? lease : pause).toMillis(),
                !pause.isZero(),
                request.number(),
                taker);
    }

    @Override
    public void leave() {
        tables.update(LEAVE, taker, instance, startId);
    }

    private static Request request(ResultSet row) throws SQLException {
        return new Request(
                row.getLong(1),
                row.getString(2),
                Action.valueOf(row.getString(3).toUpperCase(Locale.ROOT).replace(' ', '_')),
                row.getObject(4, Long.class),
                row.getObject(5, Long.class),
                row.getString(6),
                row.getInt(7));
    }

    @Override
    public Optional<Request> renew(Request request, Duration lease) {
        return tables.first(
                RENEW, PostgresParkedStore::request, lease.toMillis(), request.number(), taker);
    }

    @Override
    public void answer(Request request, String answer, Incarnation incarnation) {
        tables.call(
                incarnation,
                (statements, life) ->
                        statements.update(
                                ANSWER, HeadersJson.legible(answer), request.number(), taker));
    }

    @Override
    public Snapshot rowOfParked(String key) {
        return tables.call(
                null,
                (statements, life) -> {
                    Marks marks = Marks.NONE;
                    int count = 0;
                    for (Last last : statements.list(LAST, Last::of, key)) {
                        marks = marks.advance(last.source(), last.next());
                        count += last.count();
                    }
                    return new Snapshot(key, Snapshot.ABSENT, null, marks, null, count);
                });
    }

    /** How far a source has got with what is parked of a key, and how much that is. */
    private record Last(int source, NextOffset next, int count) {

        static Last of(ResultSet row) throws SQLException {
            NextOffset next = NextOffset.after(row.getLong(2), row.getInt(3));
            return new Last(row.getInt(1), next, row.getInt(4));
        }
    }

    @Override
    public int uncounted(String key) {
        return tables.one(UNCOUNTED, row -> row.getInt(1), key, key);
    }

    @Override
    public List<Parked> first(String key, int most) {
        return tables.call(
                null,
                (statements, life) ->
                        statements.list(FIRST, row -> parked(key, row, life), key, most));
    }

    @Override
    public List<Long> positions(String key, long last, int most) {
        return tables.list(POSITIONS, row -> row.getLong(1), key, last, most);
    }

    private static Parked parked(String key, ResultSet row, ServerLife life) throws SQLException {
        TopicPartition partition = new TopicPartition(row.getString(2), row.getInt(3));
        Message message =
                Message.setAside(
                        new PartitionEpoch(0, partition, row.getInt(4), life.incarnation()),
                        key,
                        row.getLong(5),
                        row.getInt(6),
                        new Message.Content(
                                row.getLong(7),
                                row.getBytes(8),
                                row.getBytes(9),
                                HeadersJson.read(row.getBytes(10))));
        return new Parked(row.getLong(1), message);
    }

    @Override
    public boolean save(Snapshot next, List<Long> positions, Incarnation incarnation) {
        Object gone = BinaryArray.ofLongs(positions, position -> position);
        return save(WITHOUT_PARKED, next, positions, gone, incarnation);
    }

    @Override
    public void failedAgain(long position, String reason, String error) {
        tables.update(FAILED_AGAIN, reason, HeadersJson.legible(error), position);
    }

    @Override
    public boolean repair(Request request, Snapshot next, Incarnation incarnation) {
        return save(REPAIRED, next, List.of(), request.number(), incarnation);
    }

    @Override
    public boolean replace(Request request, Snapshot next, Incarnation incarnation) {
        List<Long> message = List.of(Objects.requireNonNull(request.position()));
        return save(REPLACED, next, message, request.number(), incarnation);
    }

    @Override
    public List<Replacement> replacements() {
        return tables.list(
                REPLACEMENTS,
                row ->
                        new Replacement(
                                row.getInt(1), row.getLong(2), row.getInt(3), row.getBytes(4)));
    }

    private boolean save(
            String andThen,
            Snapshot next,
            List<Long> wanted,
            Object last,
            Incarnation incarnation) {
        String sql = (next.version() - 1 == Snapshot.ABSENT ? INSERT : UPDATE) + andThen;
        byte[] state = next.state();
        return tables.save(
                incarnation,
                (statements, life) ->
                        statements.one(
                                sql,
                                row -> {
                                    Database.requireLife(life, row.getLong(1));
                                    return row.getLong(2) == 1;
                                },
                                state == null ? null : new String(state, StandardCharsets.UTF_8),
                                next.version(),
                                next.marks().format(),
                                next.ids(),
                                next.parked(),
                                next.key(),
                                next.version() - 1,
                                life.startMicros(),
                                BinaryArray.ofLongs(wanted, it -> it),
                                (long) wanted.size(),
                                last));
    }
}
