package dev.envelope.idempotency.store.postgres.slot;

import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import dev.envelope.idempotency.store.slot.SlotSessions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Slots as advisory locks: one for each slot, in the room of the application's schema, and one that
 * all sessions share, which shows who is present. That no pooler lends their server to others is
 * seen to at the start of the process.
 */
public final class PostgresSlotSessions implements SlotSessions {

    /**
     * The server ends a session that is idle for too long: its process is frozen, or its host is
     * gone. Keep-alives, of eight tenths of that time in all, find a host that is gone while a
     * statement runs. The name is the instance's alone: longer ones are cut.
     */
    private static final String SET_UP =
            "SELECT pg_catalog.set_config('idle_session_timeout', ?, false)"
                    + ", pg_catalog.set_config('tcp_keepalives_idle', ?, false)"
                    + ", pg_catalog.set_config('tcp_keepalives_interval', ?, false)"
                    + ", pg_catalog.set_config('tcp_keepalives_count', '3', false)"
                    + ", pg_catalog.set_config('statement_timeout', '0', false)"
                    + ", pg_catalog.set_config('application_name', ?, false)";

    private static final String ROOM =
            "SELECT oid::bigint FROM pg_catalog.pg_namespace WHERE nspname = ?";
    private static final String BE_PRESENT = "SELECT pg_catalog.pg_advisory_lock_shared(?, ?)";
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

    private final PostgresSettings settings;
    private final Connector connector;
    private final SqlErrors errors;
    private final Duration timeout;
    private final String of;

    /**
     * @param timeout after which the server ends a silent session
     * @param of what is divided, if not topics: it has a room of its own
     */
    public PostgresSlotSessions(PostgresSettings settings, Duration timeout, String of) {
        this.of = of;
        this.settings = settings;
        this.connector = new Connector(settings, Duration.ZERO);
        this.errors = new SqlErrors(settings);
        this.timeout = timeout;
    }

    @Override
    public String instance() {
        return settings.instance();
    }

    @Override
    public Session open() {
        try {
            Connection connection = connector.open();
            try {
                connection.setNetworkTimeout(Runnable::run, (int) timeout.toMillis() / 10 * 8);
                Statements statements = new Statements(connection, settings.quotedSchema());
                setUp(statements);
                int room = room(statements);
                statements.one(BE_PRESENT, row -> true, room, Lock.PRESENCE);
                return new Open(connection, statements, room);
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw errors.unavailable(e);
        }
    }

    private void setUp(Statements statements) throws SQLException {
        long seconds = timeout.toSeconds();
        statements.one(
                SET_UP,
                row -> true,
                Long.toString(timeout.toMillis()),
                Long.toString(Math.max(1, seconds / 2)),
                Long.toString(Math.max(1, seconds / 10)),
                settings.instance());
    }

    /**
     * The schema's oid, which has no sign; locks take it for a number that has one. Of topics the
     * name is empty, and its hash 0.
     */
    private int room(Statements statements) throws SQLException {
        return statements
                .first(ROOM, row -> (int) row.getLong(1) ^ of.hashCode(), settings.schema())
                .orElseThrow(
                        () ->
                                new RefusedSqlException(
                                        "the schema "
                                                + settings.schema()
                                                + " does not exist: run envelope migrate"));
    }

    private final class Open implements Session {

        private final Connection connection;
        private final Statements statements;
        private final int room;

        Open(Connection connection, Statements statements, int room) {
            this.connection = connection;
            this.statements = statements;
            this.room = room;
        }

        @Override
        public boolean tryLock(int slot) {
            try {
                return statements.one(TRY, row -> row.getBoolean(1), room, slot);
            } catch (SQLException e) {
                throw errors.unavailable(e);
            }
        }

        @Override
        public List<Lock> locks() {
            try {
                return statements.list(
                        LOCKS,
                        row -> new Lock((int) row.getLong(1), row.getString(3), row.getBoolean(2)),
                        Integer.toUnsignedLong(room));
            } catch (SQLException e) {
                throw errors.unavailable(e);
            }
        }

        @Override
        public void close() {
            try {
                connection.close();
            } catch (SQLException e) {
                // It was broken before; the server ends it.
            }
        }
    }
}
