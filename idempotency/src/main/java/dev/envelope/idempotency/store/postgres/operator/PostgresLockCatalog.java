package dev.envelope.idempotency.store.postgres.operator;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.operator.LockCatalog;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Sessions that hold locks, read on one connection. Threads: one thread. */
final class PostgresLockCatalog implements LockCatalog {

    private static final int MOST = 5;

    private static final String HOLDERS =
            "SELECT DISTINCT a.pid, coalesce(a.usename, ''), coalesce(a.application_name, ''),"
                    + " coalesce(a.state, ''),"
                    + " coalesce((extract(epoch FROM now() - a.xact_start) * 1000)::bigint, 0)"
                    + " FROM pg_catalog.pg_locks AS l"
                    + " JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid"
                    + " WHERE l.granted AND a.pid <> pg_catalog.pg_backend_pid() AND ";

    /** A transaction holds a lock on its own transaction id until it ends. */
    private static final String OF_TRANSACTION =
            HOLDERS + "l.locktype = 'transactionid' AND l.transactionid IN ";

    private static final String OF_ROW =
            OF_TRANSACTION + "(SELECT xmax FROM %1$s.state WHERE key = ?) LIMIT " + MOST;

    /** For a row that several transactions hold, whose {@code xmax} is a multixact id. */
    private static final String TOGETHER_OF_ROW =
            OF_TRANSACTION
                    + "(SELECT m.xid FROM %1$s.state AS s,"
                    + " LATERAL pg_catalog.pg_get_multixact_members(s.xmax) AS m"
                    + " WHERE s.key = ?) LIMIT "
                    + MOST;

    /** In a mode that blocks our reads or writes. */
    private static final String OF_TABLE =
            HOLDERS
                    + "l.locktype = 'relation' AND l.relation = pg_catalog.to_regclass(?)"
                    + " AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock',"
                    + " 'AccessExclusiveLock') LIMIT "
                    + MOST;

    private final OperatorConnection connection;
    private final PostgresSettings settings;

    PostgresLockCatalog(OperatorConnection connection, PostgresSettings settings) {
        this.connection = connection;
        this.settings = settings;
    }

    @Override
    public List<Holder> ofRow(String key) {
        List<Holder> found = holders(OF_ROW, key);
        return found.isEmpty() ? together(key) : found;
    }

    /** The query fails if {@code xmax} is the id of a transaction that has ended. */
    private List<Holder> together(String key) {
        try {
            return holders(TOGETHER_OF_ROW, key);
        } catch (UnavailableException e) {
            return List.of();
        }
    }

    @Override
    public List<Holder> ofTable() {
        return holders(OF_TABLE, settings.quotedSchema() + ".state");
    }

    private List<Holder> holders(String sql, String of) {
        List<Holder> found = new ArrayList<>();
        if (connection.isOnWorker()) {
            return found; // the worker's sessions can't be read through the coordinator
        }
        connection.query(
                sql,
                row ->
                        found.add(
                                new Holder(
                                        row.getInt(1),
                                        row.getString(2),
                                        row.getString(3),
                                        row.getString(4),
                                        Duration.ofMillis(row.getLong(5)))),
                of);
        return found;
    }

    @Override
    public void close() {
        connection.close();
    }
}
