package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.StateStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;

/**
 * One transaction that takes what can be had at once ({@link StateStore.Locks#SKIP}). Rows that
 * exist are skipped by {@code SKIP LOCKED}. A key or a parked message that somebody else is just
 * inserting can't be: there the statement waits a moment, and what waited in vain is halved, down
 * to the row.
 *
 * <p>Threads: one thread, one call.
 */
final class SaveAroundLocks {

    private static final int MOMENT_MILLIS = 20;

    /** How many moments a whole save may wait: more are worth no lane's time. */
    private static final int MAX_WAITS = 12;

    private final Connection connection;
    private final ServerLife life;
    private final PostgresSettings settings;
    private final boolean[] saved;
    private int waits;

    SaveAroundLocks(
            Connection connection, ServerLife life, PostgresSettings settings, boolean[] saved) {
        this.connection = connection;
        this.life = life;
        this.settings = settings;
        this.saved = saved;
    }

    void save(List<SaveBatch> batches) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = " + MOMENT_MILLIS);
            lockTable(statement);
        }
        for (SaveBatch batch : batches) {
            saveOrHalve(batch);
        }
    }

    /** Of a table that is locked as a whole nothing can be had: that is an outage. */
    private void lockTable(Statement statement) throws SQLException {
        try {
            statement.execute(
                    "LOCK TABLE " + settings.quotedSchema() + ".state IN ROW EXCLUSIVE MODE");
        } catch (SQLException e) {
            if (SqlErrors.fault(e) != SqlErrors.Fault.LOCK) {
                throw e;
            }
            throw new UnavailableException(
                    "another session holds a lock on the whole table "
                            + settings.quotedSchema()
                            + ".state",
                    e);
        }
    }

    private void saveOrHalve(SaveBatch batch) throws SQLException {
        if (waits >= MAX_WAITS) {
            return;
        }
        Savepoint before = connection.setSavepoint();
        try {
            batch.save(connection, life, settings, true, saved);
            connection.releaseSavepoint(before);
        } catch (SQLException e) {
            if (SqlErrors.fault(e) != SqlErrors.Fault.LOCK || SqlErrors.isTimeUp(e)) {
                throw e;
            }
            connection.rollback(before);
            batch.unmark(saved);
            waits++;
            if (!batch.isSingle()) {
                saveOrHalve(batch.firstHalf());
                saveOrHalve(batch.secondHalf());
            }
        }
    }
}
