package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.postgres.place.SlotSchemas.Here;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Where a slot is moved away from. Each step is a transaction. */
final class OldPlace {

    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss").withZone(ZoneOffset.UTC);

    /** Each waits a second for a lock. The longest transaction of a process ends before. */
    private static final int MOST_WAITS = 24;

    /** Longer than a server takes to stop an autovacuum that is in the way. */
    private static final String PATIENTLY = "SET LOCAL lock_timeout = '5s'";

    private static final String LOCK =
            "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(?, 0))";

    private static final String SCHEMA_EXISTS = "SELECT pg_catalog.to_regnamespace(?) IS NOT NULL";

    private static final String HOLDERS =
            "SELECT coalesce(string_agg(DISTINCT coalesce(nullif(a.application_name, ''), a.backend_type) || ' (pid ' || a.pid || ')', ', '), 'nobody')"
                    + " FROM pg_catalog.pg_locks AS l JOIN pg_catalog.pg_class AS c ON c.oid = l.relation"
                    + " JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid"
                    + " WHERE l.granted AND c.relnamespace = pg_catalog.to_regnamespace(?)"
                    + " AND l.pid <> pg_catalog.pg_backend_pid()";

    private final Connection connection;
    private final SlotSite site;
    private final int slot;
    private final String schema;

    OldPlace(Connection connection, SlotSite site, int slot) {
        this.connection = connection;
        this.site = site;
        this.slot = slot;
        this.schema = SlotSchemas.of(site.settings().schema(), slot);
    }

    /** The name of its schema during the move. */
    String hidden() {
        return SlotSchemas.moving(schema);
    }

    /** One at a time changes the name of its schema. */
    void lock() throws SQLException {
        statements().one(LOCK, row -> true, "envelope move " + schema);
    }

    private Statements statements() {
        return new Statements(connection, schema);
    }

    /** The move that is under way here; null if there is none. */
    @Nullable MoveNote moving() throws SQLException {
        return SlotSchemas.read(connection, site.settings().schema())
                .getOrDefault(slot, Here.NOTHING)
                .moving();
    }

    /** Gives the schema its other name. */
    void hide(MoveNote note) throws SQLException {
        rename(schema, hidden(), note);
    }

    /** Gives it its name again. */
    void show() throws SQLException {
        rename(hidden(), schema, null);
        connection.commit();
    }

    /**
     * Gives it the name under which nobody needs it any more.
     *
     * @return what is to be done about it
     */
    String leave(MoveNote note, Instant now) throws SQLException {
        @Nullable MoveNote present = moving();
        String at = SlotSchemas.moved(schema, SECONDS.format(now));
        String name = at;
        for (int i = 2; exists(name); i++) {
            name = at + "_" + i;
        }
        if (present != null && present.token().equals(note.token())) {
            rename(hidden(), name, note.as(MoveNote.Kind.MOVED, note.place(), now));
        }
        connection.commit();
        return "what it was copied from stays at %s until you DROP SCHEMA %s CASCADE there"
                .formatted(site.place(), name);
    }

    private boolean exists(String name) throws SQLException {
        return statements().one(SCHEMA_EXISTS, row -> row.getBoolean(1), name);
    }

    private void rename(String from, String to, @Nullable MoveNote note) throws SQLException {
        execute(
                "COMMENT ON SCHEMA %s IS %s"
                        .formatted(
                                TableCopies.quoted(from), note == null ? "NULL" : note.quoted()));
        execute(
                "ALTER SCHEMA %s RENAME TO %s"
                        .formatted(TableCopies.quoted(from), TableCopies.quoted(to)));
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /**
     * Looks whether this move is still under way.
     *
     * @throws RefusedSqlException if it was taken back, or was finished by somebody else
     */
    void require(MoveNote note) throws SQLException {
        @Nullable MoveNote present = moving();
        connection.commit();
        if (present == null || !present.token().equals(note.token())) {
            throw new RefusedSqlException(
                    "the move of slot %d was taken back or finished by somebody else meanwhile"
                            .formatted(slot));
        }
    }

    /**
     * Returns when nobody writes into the tables, and nobody can from then on.
     *
     * <p>Each write locks its table before it runs, up to the end of its transaction. So who holds
     * such a lock now is waited for: this takes a lock of each table that excludes all others, and
     * gives it up. Who gets one later has, between the lock and the write, taken note of what was
     * committed before. The new name of the schema was, and it makes a server throw away all plans
     * that a session keeps ({@code PlanCacheSysCallback} for {@code pg_namespace}); the statement
     * is analyzed anew, and there is no table of that name.
     *
     * @throws UnavailableException if somebody does not end; the slot stays between both places
     */
    void awaitQuiet() throws SQLException {
        awaitQuiet(connection, hidden());
    }

    /** The same of any schema that has just got another name. */
    static void awaitQuiet(Connection connection, String hidden) throws SQLException {
        for (String table : TableCopies.tables(connection, hidden)) {
            connection.commit();
            for (int waits = 0; !hasLocked(connection, table); waits++) {
                if (waits == MOST_WAITS) {
                    throw new UnavailableException(
                            "%s is still in use by %s: end that, and call this again"
                                    .formatted(
                                            table,
                                            new Statements(connection, "")
                                                    .one(
                                                            HOLDERS,
                                                            row -> row.getString(1),
                                                            hidden)));
                }
            }
        }
    }

    private static boolean hasLocked(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(PATIENTLY);
            statement.execute("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE");
            connection.commit();
            return true;
        } catch (SQLException e) {
            connection.rollback();
            if (SqlErrors.fault(e) == SqlErrors.Fault.LOCK) {
                return false;
            }
            throw e;
        }
    }

    /** What is read from now on is of one moment. */
    void beginSnapshot() throws SQLException {
        connection.commit();
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    }
}
