package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.Statements;
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
                    + ARE_THERE;

    /** With the parameters of the update; saves nothing if the row exists by now. */
    private static final String INSERT =
            "WITH saved AS (INSERT INTO %1$s.state (state, version, marks, ids, parked, key)"
                    + " SELECT n.* FROM (SELECT ?::json, ?::bigint, ?::text, ?::bytea, ?::int,"
                    + " ?::text) AS n WHERE ? = 0 AND "
                    + ServerLife.START_MICROS
                    + " = ?"
                    + ARE_THERE;

    /**
     * Finds a request while this process has it, and locks it, so that no other takes it before the
     * save commits.
     */
    static final String IS_OURS =
            "SELECT number FROM %1$s.request WHERE number = ? AND taken_by = ?"
                    + " AND done_at IS NULL FOR UPDATE";

    private static final String IF_OURS = " AND EXISTS (" + IS_OURS + ")";

    private static final String UNLESS_IT_EXISTS = " ON CONFLICT (key) DO NOTHING";

    private static final String RETURNED = " RETURNING key)";

    private static final String COUNT =
            "SELECT count(*) FROM %1$s.parked WHERE position = ANY (?::bigint[])";

    private static final String UPDATE_ON_WORKER =
            "UPDATE %1$s.state SET state = ?::json, version = ?, marks = ?, ids = ?, parked = ?,"
                    + " updated_at = now() WHERE key = ? AND version = ?";

    private static final String INSERT_ON_WORKER =
            "INSERT INTO %1$s.state (state, version, marks, ids, parked, key) VALUES"
                    + " (?::json, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING";

    /** The end of the statement, after the further changes. */
    static final String SAVED = " SELECT " + ServerLife.START_MICROS + ", count(*) FROM saved";

    private final Tables tables;
    private final String taker;

    /**
     * @param taker the name under which this process takes requests
     */
    ParkedRowSave(Tables tables, String taker) {
        this.tables = tables;
        this.taker = taker;
    }

    /** The values of the further changes, in that life of the server. */
    @FunctionalInterface
    interface Values {
        List<? extends @Nullable Object> in(ServerLife life) throws SQLException;
    }

    /** Makes the further changes of a saved row, as statements of their own. */
    @FunctionalInterface
    interface Changes {
        void make(Statements statements, ServerLife life) throws SQLException;
    }

    /**
     * Saves the row, if it is still at the version before, these messages are parked, and this
     * process has the request.
     *
     * @param andThen the rest of the statement, whose changes depend on {@code saved} having a row
     * @param last the last parameters of the statement
     * @param onWorker the same changes on a worker of Citus
     */
    boolean save(
            Request request,
            String andThen,
            Snapshot next,
            List<Long> wanted,
            Values last,
            Changes onWorker,
            Incarnation incarnation) {
        boolean isNew = next.version() - 1 == Snapshot.ABSENT;
        String sql =
                (isNew ? INSERT : UPDATE)
                        + IF_OURS
                        + (isNew ? UNLESS_IT_EXISTS : "")
                        + RETURNED
                        + andThen;
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
                                            next.key()));
                    BinaryArray positions = BinaryArray.ofLongs(wanted, it -> it);
                    if (life.isOnWorker()) {
                        boolean isSaved =
                                isOurs(request, statements)
                                        && statements.one(COUNT, row -> row.getLong(1), positions)
                                                == wanted.size()
                                        && isSavedOnWorker(statements, next.version() - 1, values);
                        if (isSaved) {
                            onWorker.make(statements, life);
                        }
                        return isSaved;
                    }
                    values.add(next.version() - 1);
                    values.add(life.startMicros());
                    values.add(positions);
                    values.add((long) wanted.size());
                    values.add(request.number());
                    values.add(taker);
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

    private boolean isOurs(Request request, Statements statements) throws SQLException {
        return statements.first(IS_OURS, row -> true, request.number(), taker).isPresent();
    }

    private static boolean isSavedOnWorker(
            Statements statements, long version, List<@Nullable Object> values)
            throws SQLException {
        if (version == Snapshot.ABSENT) {
            return statements.update(INSERT_ON_WORKER, values.toArray()) == 1;
        }
        values.add(version);
        return statements.update(UPDATE_ON_WORKER, values.toArray()) == 1;
    }
}
