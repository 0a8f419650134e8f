package dev.envelope.integration.slots;

import dev.envelope.integration.stack.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * What the database shows of the slots of an application, and of its rows.
 *
 * <p>Threads: one thread.
 */
final class DatabaseView implements AutoCloseable {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Who looks without a pause takes the processor from whom he looks at. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final String HOLDERS =
            "SELECT l.objid::int, a.application_name FROM pg_locks AS l"
                    + " JOIN pg_stat_activity AS a USING (pid)"
                    + " JOIN pg_namespace AS n ON n.oid = l.classid"
                    + " WHERE l.locktype = 'advisory' AND l.objid::bigint < 1000 AND n.nspname = ?";

    private final Connection connection;
    private final String schema;

    DatabaseView(Database database, String schema) throws SQLException {
        this.connection = database.connect();
        this.schema = schema;
    }

    /** Who holds which slot. */
    Map<Integer, String> holders() {
        Map<Integer, String> holders = new TreeMap<>();
        try (PreparedStatement query = connection.prepareStatement(HOLDERS)) {
            query.setString(1, schema);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    holders.put(row.getInt(1), row.getString(2));
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return holders;
    }

    /** How much of each key is counted. */
    Map<String, Long> counts() {
        Map<String, Long> counts = new TreeMap<>();
        try (PreparedStatement query =
                        connection.prepareStatement(
                                "SELECT key, (state->>'n')::bigint FROM " + schema + ".state");
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                counts.put(row.getString(1), row.getLong(2));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return counts;
    }

    /** Waits for it; after how many milliseconds since then it was. */
    static long millisUntil(BooleanSupplier moment, long sinceNanos) {
        long until = System.nanoTime() + PATIENCE_NANOS;
        while (!moment.getAsBoolean()) {
            if (System.nanoTime() > until) {
                throw new AssertionError("it did not come");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
