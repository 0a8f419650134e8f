package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import dev.envelope.idempotency.store.row.Snapshot;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The save of one row that somebody has asked something for, with what is to be done beside it in
 * the same statement.
 *
 * <p>Threads: thread-safe (immutable).
 */
final class ParkedRowSave {

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

    /** Ends what is done beside it. */
    static final String SAVED = " SELECT " + ServerLife.START_MICROS + ", count(*) FROM saved";

    private final Tables tables;

    ParkedRowSave(Tables tables) {
        this.tables = tables;
    }

    /**
     * Saves it, if it is still at the version before and these messages are parked.
     *
     * @param andThen what is done beside it where {@code saved} has a row, to the end of the
     *     statement
     * @param last the value that this ends with
     */
    boolean save(
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
