package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import dev.envelope.idempotency.store.row.Snapshot;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The save of one row for an operator's request, with further changes in the same statement.
 *
 * <p>Threads: thread-safe (immutable).
 */
final class ParkedRowSave {

    /**
     * Taking a message out changes the row's version, so this check and that of the version agree.
     */
    private static final String ARE_THERE =
            " AND (SELECT count(*) FROM %1$s.parked WHERE position = ANY (?::bigint[])) = ?";

    private static final String UPDATE =
            "WITH saved AS (UPDATE %1$s.state SET state = ?::json, version = ?, marks = ?,"
                    + " ids = ?, parked = ?, updated_at = now() WHERE key = ? AND version = ? AND "
                    + ServerLife.START_MICROS
                    + " = ?"
                    + ARE_THERE
                    + " RETURNING key)";

    /** With the parameters of the update; saves nothing if the row exists by now. */
    private static final String INSERT =
            "WITH saved AS (INSERT INTO %1$s.state (state, version, marks, ids, parked, key)"
                    + " SELECT n.* FROM (SELECT ?::json, ?::bigint, ?::text, ?::bytea, ?::int,"
                    + " ?::text) AS n WHERE ? = 0 AND "
                    + ServerLife.START_MICROS
                    + " = ?"
                    + ARE_THERE
                    + " ON CONFLICT (key) DO NOTHING RETURNING key)";

    /** The end of the statement, after the further changes. */
    static final String SAVED = " SELECT " + ServerLife.START_MICROS + ", count(*) FROM saved";

    private final Tables tables;

    ParkedRowSave(Tables tables) {
        this.tables = tables;
    }

    /** The values of the further changes, in that life of the server. */
    @FunctionalInterface
    interface Values {
        List<? extends @Nullable Object> in(ServerLife life) throws SQLException;
    }

    /**
     * Saves the row, if it is still at the version before and these messages are parked.
     *
     * @param andThen the rest of the statement, whose changes depend on {@code saved} having a row
     * @param last the last parameters of the statement
     */
    boolean save(
            String andThen,
            Snapshot next,
            List<Long> wanted,
            Values last,
            Incarnation incarnation) {
        String sql = (next.version() - 1 == Snapshot.ABSENT ? INSERT : UPDATE) + andThen;
        byte[] state = next.state();
        return tables.save(
                incarnation,
                (statements, life) -> {
                    List<@Nullable Object> values =
                            new ArrayList<>(
                                    Arrays.asList(
                                            state == null
                                                    ? null
                                                    : new String(state, StandardCharsets.UTF_8),
                                            next.version(),
                                            next.marks().format(),
                                            next.ids(),
                                            next.parked(),
                                            next.key(),
                                            next.version() - 1,
                                            life.startMicros(),
                                            BinaryArray.ofLongs(wanted, it -> it),
                                            (long) wanted.size()));
                    values.addAll(last.in(life));
                    return statements.one(
                            sql,
                            row -> {
                                Database.requireLife(life, row.getLong(1));
                                return row.getLong(2) == 1;
                            },
                            values.toArray());
                });
    }
}
