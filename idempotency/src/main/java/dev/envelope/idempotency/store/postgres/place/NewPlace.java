package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.postgres.place.SlotSchemas.Here;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Where a slot is moved to: one transaction, which holds a lock from its beginning to its end. */
final class NewPlace {

    private static final String LOCK =
            "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(?, 0))";

    private static final String ITS_HOLDERS =
            " FROM pg_catalog.pg_locks AS l JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid"
                    + " WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1"
                    + " AND l.database = (SELECT oid FROM pg_catalog.pg_database"
                    + " WHERE datname = pg_catalog.current_database())"
                    + " AND (l.classid::bigint << 32) | l.objid::bigint"
                    + " = pg_catalog.hashtextextended(?, 0)";

    private static final String HOLDERS =
            "SELECT coalesce(string_agg(a.application_name || ', pid ' || a.pid, '; '), 'nobody')"
                    + ITS_HOLDERS;

    private static final String END =
            "SELECT count(pg_catalog.pg_terminate_backend(a.pid))" + ITS_HOLDERS;

    private static final int MOST_WAITS = 30;

    private final Connection connection;
    private final SlotSite site;
    private final int slot;
    private final String schema;
    private final String lock;

    NewPlace(Connection connection, SlotSite site, int slot) {
        this.connection = connection;
        this.site = site;
        this.slot = slot;
        this.schema = SlotSchemas.of(site.settings().schema(), slot);
        this.lock = "envelope move to " + schema;
    }

    private Statements statements() {
        return new Statements(connection, schema);
    }

    /** Takes the lock; waits a second for another who has it. */
    boolean lock() throws SQLException {
        try {
            statements().one(LOCK, row -> true, lock);
            return true;
        } catch (SQLException e) {
            connection.rollback();
            if (SqlErrors.fault(e) == SqlErrors.Fault.LOCK) {
                return false;
            }
            throw e;
        }
    }

    String holders() throws SQLException {
        return statements().one(HOLDERS, row -> row.getString(1), lock);
    }

    /** Takes the lock; ends the session of another who has it, whose transaction is lost. */
    void seize() throws SQLException {
        for (int waits = 0; !lock(); waits++) {
            if (waits == MOST_WAITS) {
                throw new UnavailableException(
                        "the copy of slot %d does not end: %s".formatted(slot, holders()));
            }
            statements().one(END, row -> row.getLong(1), lock);
            connection.commit();
        }
    }

    /**
     * Whether the slot is here, by this move.
     *
     * @throws RefusedSqlException if it has come otherwise
     */
    boolean isFilled(MoveNote note) throws SQLException {
        Here found =
                SlotSchemas.read(connection, site.settings().schema())
                        .getOrDefault(slot, Here.NOTHING);
        @Nullable MoveNote came = found.came();
        if (found.isHere() && (came == null || !came.token().equals(note.token()))) {
            throw new RefusedSqlException(
                    "there is a schema %s with tables, which this move has not made"
                            .formatted(schema));
        }
        return found.isHere();
    }

    /**
     * Makes the schema, and copies into it.
     *
     * @return how many rows each table has
     */
    Map<String, Long> fill(Connection from, String fromSchema, LongConsumer copied)
            throws SQLException {
        site.migrator(slot).make(connection);
        return new TableCopies(from, fromSchema, connection, schema).copy(copied);
    }

    /** From now on the slot is here. */
    void commit(MoveNote note) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "COMMENT ON SCHEMA %s IS %s"
                            .formatted(TableCopies.quoted(schema), note.quoted()));
        }
        connection.commit();
    }
}
