package dev.envelope.integration.cluster;

import dev.envelope.integration.stack.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * What the database server says of the sessions that others have there.
 *
 * <p>Threads: one at a time.
 */
public final class Sessions implements AutoCloseable {

    private static final String IN_TRANSACTION =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = ? AND state LIKE 'idle in"
                    + " transaction%'";
    private static final String OPEN =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = ?";
    private static final String AT_WORK =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = ? AND state = 'active'";
    private static final String WAITING =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE ? AND"
                    + " wait_event_type = 'Lock'";
    private static final String AROUND_LOCKS =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = ? AND state = 'active' AND"
                    + " query LIKE '%SKIP LOCKED%'";
    private static final Duration CAUGHT_WITHIN = Duration.ofSeconds(60);
    private static final Duration ONE_TRY = Duration.ofSeconds(3);
    private static final long PAUSE_NANOS = 2_000_000;

    private final Connection connection;

    private Sessions(Connection connection) {
        this.connection = connection;
    }

    /** Asks as a superuser, since others see their own sessions only. */
    public static Sessions open(Database superuser) {
        try {
            return new Sessions(superuser.connect());
        } catch (SQLException e) {
            throw new IllegalStateException("the sessions can't be asked for", e);
        }
    }

    /**
     * Freezes a process in the middle of a transaction: some rows are locked by another session, so
     * that it saves around them in several statements, and these are slow enough to be seen. It
     * stays frozen then.
     *
     * @param owner of the schema
     * @param keys of the rows that are locked
     * @return whether it was caught
     */
    public boolean freezeInTransaction(
            ConsumerProcess process, Database owner, String schema, List<String> keys) {
        long until = System.nanoTime() + CAUGHT_WITHIN.toNanos();
        return SlowSaves.during(
                owner,
                schema,
                () -> {
                    boolean caught = false;
                    while (!caught && System.nanoTime() < until) {
                        caught =
                                RowLock.during(
                                        owner, schema, keys, () -> freezeAroundLocks(process));
                    }
                    return caught;
                });
    }

    private boolean freezeAroundLocks(ConsumerProcess process) {
        if (!awaits(() -> count(AROUND_LOCKS, process.sessionName()) > 0)) {
            return false;
        }
        process.pause();
        // The server ends the statements under way, and waits for the next. Not so if one was cut
        // off by the freeze while it was sent: that the server waits for under no timeout.
        if (awaits(() -> isInTransaction(process)) && awaits(() -> !isAtWork(process))) {
            return true;
        }
        process.resume();
        return false;
    }

    private static boolean awaits(BooleanSupplier moment) {
        long until = System.nanoTime() + ONE_TRY.toNanos();
        while (!moment.getAsBoolean()) {
            if (System.nanoTime() > until) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }

    /** Whether one of its sessions is in a transaction, and the server waits for it. */
    public boolean isInTransaction(ConsumerProcess process) {
        return count(IN_TRANSACTION, process.sessionName()) > 0;
    }

    private boolean isAtWork(ConsumerProcess process) {
        return count(AT_WORK, process.sessionName()) > 0;
    }

    /** How many it has. */
    public int open(ConsumerProcess process) {
        return count(OPEN, process.sessionName());
    }

    /** Whether some process' session waits for a lock. */
    public boolean isWaitingForLock() {
        return count(WAITING, "envelope %") > 0;
    }

    private int count(String sql, String name) {
        // What is told of sessions is cut to 63 bytes.
        String known = name.substring(0, Math.min(63, name.length()));
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, known);
            try (ResultSet answer = statement.executeQuery()) {
                answer.next();
                return answer.getInt(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the sessions can't be asked for", e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException("not closed", e);
        }
    }
}
