package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;

/** A lock of a server, which is held to the end of the transaction in which it was taken. */
public final class TransactionLock {

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
    private final String name;

    public TransactionLock(Connection connection, String name) {
        this.connection = connection;
        this.name = name;
    }

    /** That of whoever fills the schema of a slot. */
    public static TransactionLock ofFilling(Connection connection, SlotSite site, int slot) {
        return new TransactionLock(connection, "envelope move to " + site.of(slot).schema());
    }

    private Statements statements() {
        return new Statements(connection, "");
    }

    /** Takes it; waits as long as the connection's lock_timeout for another who has it. */
    public boolean take() throws SQLException {
        try {
            statements().one(LOCK, row -> true, name);
            return true;
        } catch (SQLException e) {
            connection.rollback();
            if (SqlErrors.fault(e) == SqlErrors.Fault.LOCK) {
                return false;
            }
            throw e;
        }
    }

    /** Takes it, or fails as a statement does that waited too long. */
    void require() throws SQLException {
        statements().one(LOCK, row -> true, name);
    }

    /** Who has it, for people. */
    public String holders() throws SQLException {
        return statements().one(HOLDERS, row -> row.getString(1), name);
    }

    /** Takes it; ends the session of another who has it, whose transaction is lost. */
    public void seize() throws SQLException {
        for (int waits = 0; !take(); waits++) {
            if (waits == MOST_WAITS) {
                throw new UnavailableException("%s does not end: %s".formatted(name, holders()));
            }
            statements().one(END, row -> row.getLong(1), name);
            connection.commit();
        }
    }
}
