package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Saves rows that are all expected to be new by plain {@code INSERT}s, which cost the server less
 * than inserts with {@code ON CONFLICT}. If one row exists already, nothing is saved and the work
 * was in vain; after that, some saves don't try it.
 *
 * <p>Threads: thread-safe (an atomic; a lost update costs a little speed).
 */
final class NewRows {

    private static final int WORTHWHILE = 100;

    /** How many saves don't try it after one in vain. */
    private static final int REST = 32;

    private static final String UNIQUE_VIOLATION = "23505";

    private final AtomicInteger rest = new AtomicInteger();

    /**
     * Inserts all rows; changes nothing if one exists already.
     *
     * @return whether they were saved
     */
    boolean save(Connection connection, ServerLife life, List<SaveBatch> batches)
            throws SQLException {
        if (life.isOnWorker() || !fits(batches)) {
            return false; // there an INSERT needs the others' transaction
        }
        boolean together = batches.size() > 1;
        connection.setAutoCommit(!together);
        try {
            for (SaveBatch batch : batches) {
                batch.insert(connection, life);
            }
            if (together) {
                connection.commit();
            }
            return true;
        } catch (SQLException e) {
            if (!UNIQUE_VIOLATION.equals(e.getSQLState())) {
                throw e;
            }
            if (together) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
            rest.set(REST);
            return false;
        }
    }

    private boolean fits(List<SaveBatch> batches) {
        if (batches.stream().mapToInt(SaveBatch::rows).sum() < WORTHWHILE
                || !batches.stream().allMatch(SaveBatch::isOfNewRowsAlone)) {
            return false;
        }
        return rest.get() <= 0 || rest.getAndDecrement() <= 0;
    }
}
