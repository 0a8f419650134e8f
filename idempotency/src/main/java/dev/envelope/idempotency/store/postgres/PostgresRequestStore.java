package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.postgres.sql.HeadersJson;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import dev.envelope.idempotency.store.postgres.sql.WorkerSql;
import dev.envelope.idempotency.store.row.Snapshot;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * Operators' requests, in Postgres.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
final class PostgresRequestStore implements RequestStore {

    private static final String COLUMNS =
            " number, row_key, action, position, version, state, broken_off";

    /**
     * The keys whose rows are deleted, and whose messages are not yet. The parenthesis is left
     * open.
     */
    private static final String DELETING =
            "(SELECT d.row_key FROM %1$s.request AS d WHERE d.action = 'delete'"
                    + " AND d.version IS NULL AND d.done_at IS NULL";

    /** Also one that is taken for longer than anybody takes it: the clock was set back since. */
    private static final String TAKE =
            "UPDATE %1$s.request SET taken_by = ?, broken_off = broken_off"
                    + " + CASE WHEN taken_by <> ? AND not_before IS NULL THEN 1 ELSE 0 END,"
                    + " taken_until = now() + ? * interval '1 ms', not_before = NULL"
                    + " WHERE number = (SELECT number"
                    + " FROM %1$s.request WHERE done_at IS NULL"
                    + " AND action IN ('redrive', 'skip', 'skip failing', 'drop', 'quarantine', 'set',"
                    + " 'delete', 'edit')"
                    + " AND (taken_until IS NULL OR taken_until < now()"
                    + " OR taken_until > now() + 2 * ? * interval '1 ms' + interval '1 hour'"
                    + " OR (taken_by = ?"
                    + " AND coalesce(not_before <= now(), true)))"
                    + " AND (action = 'delete' OR row_key NOT IN "
                    + DELETING
                    + "))"
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
            "UPDATE %1$s.request AS r SET taken_until = now() + ? * interval '1 ms'"
                    + " WHERE number = ? AND taken_by = ? AND done_at IS NULL"
                    + " AND (action = 'delete' OR NOT EXISTS "
                    + DELETING
                    + " AND d.row_key = r.row_key))"
                    + " RETURNING"
                    + COLUMNS;

    private static final String ANSWER =
            "UPDATE %1$s.request SET done_at = now(), answer = ?, taken_until = NULL,"
                    + " state = NULL"
                    + " WHERE number = ? AND taken_by = ? AND done_at IS NULL";

    /** A delete also removes the replaced values of the key. */
    private static final String REPAIRED =
            ", noted AS (UPDATE %1$s.request SET version = NULL WHERE number = ?"
                    + " AND EXISTS (SELECT FROM saved) RETURNING row_key, action), erased AS"
                    + " (DELETE FROM %1$s.replacement AS r USING noted WHERE r.row_key ="
                    + " noted.row_key AND noted.action = 'delete')"
                    + ParkedRowSave.SAVED;

    /** The original value is kept, however often it is replaced. */
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
                    + " replaced_at = excluded.replaced_at), noted AS (UPDATE %1$s.request AS r SET version = NULL"
                    + " FROM replaced AS n WHERE r.number = n.number)"
                    + ParkedRowSave.SAVED;

    private static final String NOTE = "UPDATE %1$s.request SET version = NULL WHERE number = ?";

    private static final String ERASE =
            "DELETE FROM %1$s.replacement AS r USING %1$s.request AS q WHERE q.number = ?"
                    + " AND q.action = 'delete' AND r.row_key = q.row_key";

    private static final String KEEP =
            "INSERT INTO %1$s.replacement (source, record_offset, leader_epoch, row_key, value,"
                    + " original, replaced_by, replaced_at) SELECT p.source, p.record_offset,"
                    + " p.leader_epoch, p.row_key, decode(r.state, 'base64'), p.value,"
                    + " r.requested_by, ? FROM %1$s.request AS r JOIN %1$s.parked AS p"
                    + " ON p.position = r.position WHERE r.number = ?"
                    + " ON CONFLICT (source, record_offset, leader_epoch) DO UPDATE"
                    + " SET value = excluded.value, replaced_by = excluded.replaced_by,"
                    + " replaced_at = excluded.replaced_at";

    private static final String PUT =
            "UPDATE %1$s.parked AS p SET value = decode(r.state, 'base64')"
                    + " FROM %1$s.request AS r WHERE r.number = ? AND p.position = r.position";

    private final Tables tables;
    private final ParkedRowSave rows;
    private final String instance;
    private final String startId;
    private final String taker;

    /**
     * @param taker the name under which requests are taken: a process that is started again may
     *     have its former name, but does not have its former requests
     */
    PostgresRequestStore(Tables tables, String instance, String startId, String taker) {
        this.tables = tables;
        this.rows = new ParkedRowSave(tables, taker);
        this.instance = instance;
        this.startId = startId;
        this.taker = taker;
    }

    @Override
    public Incarnation incarnation() {
        return tables.call(null, (statements, life) -> life.incarnation());
    }

    @Override
    public void seen() {
        tables.update(InstanceName.SEEN, instance, startId);
    }

    @Override
    public Optional<Request> take(Duration lease) {
        return tables.first(
                TAKE,
                PostgresRequestStore::request,
                taker,
                taker,
                lease.toMillis(),
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
                RENEW, PostgresRequestStore::request, lease.toMillis(), request.number(), taker);
    }

    @Override
    public boolean answer(Request request, String answer, Incarnation incarnation) {
        return tables.call(
                incarnation,
                (statements, life) ->
                        statements.update(
                                        ANSWER,
                                        HeadersJson.legible(answer),
                                        request.number(),
                                        taker)
                                == 1);
    }

    @Override
    public boolean repair(Request request, Snapshot next, Incarnation incarnation) {
        long number = request.number();
        return rows.save(
                request,
                REPAIRED,
                next,
                List.of(),
                life -> List.of(number),
                (statements, life) -> {
                    statements.update(NOTE, number);
                    statements.update(ERASE, number);
                },
                incarnation);
    }

    @Override
    public boolean replace(Request request, Snapshot next, Incarnation incarnation) {
        List<Long> message = List.of(Objects.requireNonNull(request.position()));
        long number = request.number();
        return rows.save(
                request,
                REPLACED,
                next,
                message,
                life -> List.of(number),
                (statements, life) -> {
                    statements.update(KEEP, WorkerSql.now(), number);
                    statements.update(PUT, number);
                    statements.update(NOTE, number);
                },
                incarnation);
    }
}
