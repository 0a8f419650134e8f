package dev.envelope.idempotency.store.postgres.slot;

import dev.envelope.core.membership.SlotPlan;
import dev.envelope.idempotency.store.pin.SlotPins;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import dev.envelope.idempotency.store.slot.SlotSessions;
import dev.envelope.idempotency.store.table.TableSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Slots as advisory locks: one for each slot, in the room of the application's schema, and others
 * with numbers below 0. How many slots there are is a pin. That no pooler lends their server to
 * others is seen to at the start of the process.
 */
public final class PostgresSlotSessions implements SlotSessions {

    /**
     * The server ends a session that is idle for too long: its process is frozen, or its host is
     * gone. Keep-alives, of eight tenths of that time in all, find a host that is gone while a
     * statement runs. A row of the pins that somebody has locked is not waited for for longer. The
     * name is the instance's alone: longer ones are cut.
     */
    private static final String SET_UP =
            "SELECT pg_catalog.set_config('idle_session_timeout', ?, false)"
                    + ", pg_catalog.set_config('tcp_keepalives_idle', ?, false)"
                    + ", pg_catalog.set_config('tcp_keepalives_interval', ?, false)"
                    + ", pg_catalog.set_config('tcp_keepalives_count', '3', false)"
                    + ", pg_catalog.set_config('statement_timeout', '0', false)"
                    + ", pg_catalog.set_config('lock_timeout', ?, false)"
                    + ", pg_catalog.set_config('application_name', ?, false)";

    private static final String ROOM =
            "SELECT oid::bigint FROM pg_catalog.pg_namespace WHERE nspname = ?";

    /** Nobody locks this number for himself, so that it does not wait. */
    private static final String BE_PRESENT = "SELECT pg_catalog.pg_advisory_lock_shared(?, ?)";

    private static final String UNLOCK =
            "SELECT pg_catalog.pg_advisory_unlock_all(),"
                    + " pg_catalog.pg_advisory_lock_shared(?, ?)";
    private static final String TRY = "SELECT pg_catalog.pg_try_advisory_lock(?, ?)";
    private static final String TRY_SHARE = "SELECT pg_catalog.pg_try_advisory_lock_shared(?, ?)";

    /** Rows come in the order of the list, and the first that is free ends the search. */
    private static final String TRY_ANY =
            "SELECT s FROM pg_catalog.unnest(?::int[]) AS s"
                    + " WHERE pg_catalog.pg_try_advisory_lock(?, s) LIMIT 1";

    /** The id of a transaction, which no other session gets later; without a sign. */
    private static final String GENERATION =
            "SELECT pg_catalog.mod(pg_catalog.pg_current_xact_id()::text::numeric, 2147483647)::int";

    private static final String RECORD_FIRST =
            "INSERT INTO %1$s.pin (name, value, pinned_by) VALUES (?, ?, ?)"
                    + " ON CONFLICT (name) DO NOTHING";

    private static final String RECORD =
            "UPDATE %1$s.pin SET value = ?, formerly = value, pinned_by = ?, pinned_at = now()"
                    + " WHERE name = ? AND value = ?";

    private static final String LOOK =
            "SELECT l.objid::bigint, l.pid = pg_catalog.pg_backend_pid(),"
                    + " coalesce(a.application_name, ''), p.value, p.pinned_at"
                    + " FROM pg_catalog.pg_locks AS l"
                    + " LEFT JOIN %1$s.pin AS p ON p.name = ?"
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
    private final String pin;

    /**
     * @param timeout after which the server ends a silent session
     * @param table that is divided: it has a room of its own; null if topics are
     */
    public PostgresSlotSessions(
            PostgresSettings settings, Duration timeout, @Nullable TableSettings table) {
        this.of = table == null ? "" : table.source();
        this.pin = SlotPins.name(table);
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
    public Session open(SlotPlan plan) {
        try {
            Connection connection = connector.open();
            try {
                connection.setNetworkTimeout(Runnable::run, (int) timeout.toMillis() / 10 * 8);
                Statements statements = new Statements(connection, settings.quotedSchema());
                setUp(statements);
                int room = room(statements);
                int presence = Lock.presence(plan);
                statements.one(BE_PRESENT, row -> true, room, presence);
                return new Open(connection, statements, room, presence);
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
                Long.toString(timeout.toMillis() / 4),
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
        private final int presence;

        Open(Connection connection, Statements statements, int room, int presence) {
            this.connection = connection;
            this.statements = statements;
            this.room = room;
            this.presence = presence;
        }

        @Override
        public Look look() {
            int[] count = {0};
            Instant[] since = {Instant.EPOCH};
            return call(
                    () -> {
                        List<Lock> locks =
                                statements.list(
                                        LOOK,
                                        row -> {
                                            String value = row.getString(4);
                                            if (value != null) {
                                                count[0] = Integer.parseInt(value);
                                                since[0] = row.getTimestamp(5).toInstant();
                                            }
                                            return new Lock(
                                                    (int) row.getLong(1),
                                                    row.getString(3),
                                                    row.getBoolean(2));
                                        },
                                        pin,
                                        Integer.toUnsignedLong(room));
                        return new Look(count[0], since[0], locks);
                    });
        }

        @Override
        public OptionalInt tryAny(List<Integer> slots) {
            String array =
                    slots.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
            return call(
                    () ->
                            statements
                                    .first(
                                            TRY_ANY,
                                            row -> OptionalInt.of(row.getInt(1)),
                                            array,
                                            room)
                                    .orElse(OptionalInt.empty()));
        }

        @Override
        public boolean tryLock(int number) {
            return call(() -> statements.one(TRY, row -> row.getBoolean(1), room, number));
        }

        @Override
        public boolean tryShare(int number) {
            return call(() -> statements.one(TRY_SHARE, row -> row.getBoolean(1), room, number));
        }

        @Override
        public int generation() {
            return call(() -> statements.one(GENERATION, row -> row.getInt(1)));
        }

        @Override
        public void unlock() {
            call(() -> statements.one(UNLOCK, row -> true, room, presence));
        }

        @Override
        public void record(int before, int count) {
            String now = Integer.toString(count);
            call(
                    () ->
                            before == 0
                                    ? statements.update(RECORD_FIRST, pin, now, instance())
                                    : statements.update(
                                            RECORD,
                                            now,
                                            instance(),
                                            pin,
                                            Integer.toString(before)));
        }

        private <T> T call(Statement<T> statement) {
            try {
                return statement.run();
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

    /** Something that is asked of the server. */
    private interface Statement<T> {
        T run() throws SQLException;
    }
}
