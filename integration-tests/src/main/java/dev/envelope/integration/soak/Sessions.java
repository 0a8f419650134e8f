package dev.envelope.integration.soak;

import dev.envelope.integration.cluster.ConsumerProcess;
import dev.envelope.integration.stack.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

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
    private static final String WAITING =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE ? AND"
                    + " wait_event_type = 'Lock'";
    private static final long STATEMENT_ENDS_NANOS = Duration.ofMillis(20).toNanos();
    private static final long MOST_GOING_ON_NANOS = Duration.ofMillis(7).toNanos();

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
     * Freezes a process again and again, until it is in the middle of a transaction; it stays
     * frozen then.
     *
     * @return whether it was caught
     */
    public boolean freezeInTransaction(ConsumerProcess process, Duration patience) {
        long until = System.nanoTime() + patience.toNanos();
        for (long attempt = 1; System.nanoTime() < until; attempt++) {
            process.pause();
            // The server ends the statement under way, and waits for the next.
            LockSupport.parkNanos(STATEMENT_ENDS_NANOS);
            if (isInTransaction(process)) {
                return true;
            }
            process.resume();
            LockSupport.parkNanos(1 + attempt * 1_234_567 % MOST_GOING_ON_NANOS);
        }
        return false;
    }

    /** Whether one of its sessions is in a transaction, and the server waits for it. */
    public boolean isInTransaction(ConsumerProcess process) {
        return count(IN_TRANSACTION, process.sessionName()) > 0;
    }

    /** How many it has. */
    public int open(ConsumerProcess process) {
        return count(OPEN, process.sessionName());
    }

    /** Whether some process' session waits for a lock. */
    boolean isWaitingForLock() {
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
