package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A schema that gets another name, so that nobody saves there. */
public final class RenamedSchema {

    /** Each waits some seconds for a lock. The longest transaction of a process ends before. */
    private static final int MOST_WAITS = 24;

    /** Longer than a server takes to stop an autovacuum that is in the way. */
    private static final String PATIENTLY = "SET LOCAL lock_timeout = '5s'";

    private static final String HOLDERS =
            "SELECT coalesce(string_agg(DISTINCT coalesce(nullif(a.application_name, ''), a.backend_type) || ' (pid ' || a.pid || ')', ', '), 'nobody')"
                    + " FROM pg_catalog.pg_locks AS l JOIN pg_catalog.pg_class AS c ON c.oid = l.relation"
                    + " JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid"
                    + " WHERE l.granted AND c.relnamespace = pg_catalog.to_regnamespace(?)"
                    + " AND l.pid <> pg_catalog.pg_backend_pid()";

    private final Connection connection;
    private final String name;

    /**
     * @param name at present
     */
    public RenamedSchema(Connection connection, String name) {
        this.connection = connection;
        this.name = name;
    }

    /**
     * Gives it another name, and a comment.
     *
     * @param comment null if it needs none
     */
    public void rename(String to, @Nullable String comment) throws SQLException {
        TableCopies.execute(
                connection,
                "COMMENT ON SCHEMA %s IS %s"
                        .formatted(
                                TableCopies.quoted(name),
                                comment == null ? "NULL" : "'" + comment.replace("'", "''") + "'"));
        TableCopies.execute(
                connection,
                "ALTER SCHEMA %s RENAME TO %s"
                        .formatted(TableCopies.quoted(name), TableCopies.quoted(to)));
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
     * @throws UnavailableException if somebody does not end
     */
    public void awaitQuiet() throws SQLException {
        for (String table : TableCopies.tables(connection, name)) {
            connection.commit();
            for (int waits = 0; !hasLocked(table); waits++) {
                if (waits == MOST_WAITS) {
                    throw new UnavailableException(
                            "%s is still in use by %s: end that, and call this again"
                                    .formatted(
                                            table,
                                            new Statements(connection, "")
                                                    .one(HOLDERS, row -> row.getString(1), name)));
                }
            }
        }
        connection.commit();
    }

    private boolean hasLocked(String table) throws SQLException {
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
}
