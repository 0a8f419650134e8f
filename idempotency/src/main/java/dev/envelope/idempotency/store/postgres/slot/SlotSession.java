package dev.envelope.idempotency.store.postgres.slot;

import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A session of Postgres that holds advisory locks: one for each slot, in the room of the
 * application's schema, and one that all share, which shows who is there.
 */
final class SlotSession implements AutoCloseable {

    /** The lock that all processes share. */
    private static final int PRESENCE = -1;

    /**
     * The server ends a session that is idle for too long: its process is frozen, or its host is
     * gone. Keep-alives find a host that is gone while a statement runs.
     */
    private static final String SET_UP =
            "SELECT pg_catalog.set_config('idle_session_timeout', ?, false)"
                    + ", pg_catalog.set_config('statement_timeout', ?, false)"
                    + ", pg_catalog.set_config('tcp_keepalives_idle', '3', false)"
                    + ", pg_catalog.set_config('tcp_keepalives_interval', '1', false)"
                    + ", pg_catalog.set_config('tcp_keepalives_count', '3', false)";

    private static final String ROOM =
            "SELECT oid::bigint FROM pg_catalog.pg_namespace WHERE nspname = ?";
    private static final String BE_THERE = "SELECT pg_catalog.pg_advisory_lock_shared(?, ?)";
    private static final String TRY = "SELECT pg_catalog.pg_try_advisory_lock(?, ?)";

    private static final String LOCKS =
            "SELECT l.objid::bigint, l.pid = pg_catalog.pg_backend_pid(),"
                    + " coalesce(a.application_name, '')"
                    + " FROM pg_catalog.pg_locks AS l"
                    + " LEFT JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid"
                    + " WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2"
                    + " AND l.classid::bigint = ? AND l.database ="
                    + " (SELECT d.oid FROM pg_catalog.pg_database AS d"
                    + " WHERE d.datname = pg_catalog.current_database())";

    private final Connection connection;
    private final long room;

    /**
     * A lock that somebody has.
     *
     * @param slot or {@link #PRESENCE}
     * @param instance the name of the process; empty if it is not shown
     */
    record Lock(int slot, String instance, boolean isOurs) {

        boolean isOfSlot() {
            return slot != PRESENCE;
        }
    }

    private SlotSession(Connection connection, long room) {
        this.connection = connection;
        this.room = room;
    }

    /**
     * Opens a session. That there is no pooler that does not keep sessions was seen to at the
     * start.
     *
     * @throws RefusedSqlException if there is no such schema
     */
    static SlotSession open(Connector connector, String schema, Duration timeout)
            throws SQLException {
        Connection connection = connector.open();
        try {
            int patience = (int) (timeout.toMillis() / 10 * 4);
            connection.setNetworkTimeout(Runnable::run, patience);
            setUp(connection, timeout, patience);
            SlotSession session = new SlotSession(connection, room(connection, schema));
            session.bePresent();
            return session;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private static void setUp(Connection connection, Duration timeout, int patience)
            throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(SET_UP)) {
            query.setString(1, Long.toString(timeout.toMillis()));
            query.setString(2, Integer.toString(patience));
            query.executeQuery().close();
        }
    }

    private static long room(Connection connection, String schema) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(ROOM)) {
            query.setString(1, schema);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    throw new RefusedSqlException(
                            "the schema " + schema + " does not exist: run envelope migrate");
                }
                return row.getLong(1);
            }
        }
    }

    private void bePresent() throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(BE_THERE)) {
            query.setInt(1, (int) room);
            query.setInt(2, PRESENCE);
            query.executeQuery().close();
        }
    }

    /** Takes the lock of a slot, unless another session has it. */
    boolean tryLock(int slot) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(TRY)) {
            query.setInt(1, (int) room);
            query.setInt(2, slot);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    /** Who has which lock. */
    List<Lock> locks() throws SQLException {
        List<Lock> locks = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(LOCKS)) {
            query.setLong(1, room);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    String application = row.getString(3);
                    String instance = application.substring(application.lastIndexOf(' ') + 1);
                    locks.add(new Lock((int) row.getLong(1), instance, row.getBoolean(2)));
                }
            }
        }
        return locks;
    }

    /** Ends the session, and so gives its locks up. */
    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // It was broken before; the server ends it.
        }
    }
}
