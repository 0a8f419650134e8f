package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.row.StateStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * One transaction that saves the rows that are not locked ({@link StateStore.Patience#SKIP}).
 * Locked rows are skipped by {@code SKIP LOCKED}. That does not work for a key or parked message
 * that another session is inserting: there the statement waits a moment. A batch that waited in
 * vain is split, first into new rows and others, then into halves, down to a single row. Batches
 * that were not tried yet go first, so that a few such rows don't hold up the others. Rows that are
 * left when the time is up are saved in later turns.
 *
 * <p>Threads: one thread, one call.
 */
final class SaveAroundLocks {

    /** How long the first statements wait for a lock; later ones wait only a millisecond. */
    private static final int MOMENT_MILLIS = 20;

    private static final int MAX_MOMENTS = 2;

    /** The most time for it, since other keys wait for the lane. */
    private static final long MAX_NANOS = 200_000_000;

    private final Connection connection;
    private final ServerLife life;
    private final boolean[] saved;
    private final LongSupplier nanoTime;
    private int inVain;

    SaveAroundLocks(
            Connection connection, ServerLife life, boolean[] saved, LongSupplier nanoTime) {
        this.connection = connection;
        this.life = life;
        this.saved = saved;
        this.nanoTime = nanoTime;
    }

    void save(List<SaveBatch> batches) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = " + MOMENT_MILLIS);
            if (!life.isOnWorker()) { // Citus would lock it on all its servers
                for (String schema : schemas(batches)) {
                    lockTable(statement, schema);
                }
            }
        }
        long begin = nanoTime.getAsLong();
        Deque<SaveBatch> open = new ArrayDeque<>(batches);
        while (!open.isEmpty() && nanoTime.getAsLong() - begin < MAX_NANOS) {
            SaveBatch batch = open.removeFirst();
            if (!isSaved(batch)) {
                open.addAll(batch.parts());
            }
        }
    }

    private static List<String> schemas(List<SaveBatch> batches) {
        return batches.stream().map(batch -> batch.target().schema()).distinct().toList();
    }

    /**
     * Locks the table in the mode of a write. If another session has locked the whole table, that
     * is an outage.
     */
    private static void lockTable(Statement statement, String schema) throws SQLException {
        try {
            statement.execute("LOCK TABLE " + schema + ".state IN ROW EXCLUSIVE MODE");
        } catch (SQLException e) {
            if (SqlErrors.fault(e) != SqlErrors.Fault.LOCK) {
                throw e;
            }
            throw new UnavailableException(
                    "another session holds a lock on the whole table " + schema + ".state", e);
        }
    }

    private boolean isSaved(SaveBatch batch) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            batch.save(connection, life, true, saved);
            connection.releaseSavepoint(before);
            return true;
        } catch (SQLException e) {
            if (SqlErrors.fault(e) != SqlErrors.Fault.LOCK || SqlErrors.isTimeUp(e)) {
                throw e;
            }
            connection.rollback(before);
            batch.unmark(saved);
            inVain++;
            if (inVain == MAX_MOMENTS) {
                execute("SET LOCAL lock_timeout = 1");
            }
            return false;
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
