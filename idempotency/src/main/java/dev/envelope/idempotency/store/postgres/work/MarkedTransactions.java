package dev.envelope.idempotency.store.postgres.work;

import dev.envelope.core.api.HandlerTimeoutException;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.postgres.sql.AllInUseException;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.row.StoreException;
import dev.envelope.idempotency.work.DoneBefore;
import dev.envelope.idempotency.work.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * Transactions that mark the messages that they are for.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
public final class MarkedTransactions implements Transactions {

    /** A lock that is not free, a deadlock, and a transaction that another one has overtaken. */
    private static final Set<String> AGAIN = Set.of("55P03", "40P01", "40001");

    /**
     * What no statement is at fault for: the connection, resources, an operator, the system. XX is
     * none of them: functions raise it for a bad value, if they name no code.
     */
    private static final Set<String> OUTAGE = Set.of("08", "53", "57", "58");

    private static final Set<String> CORRUPTED = Set.of("XX001", "XX002");

    private final Database database;
    private final String quotedSchema;

    public MarkedTransactions(Database database, PostgresSettings settings) {
        this.database = database;
        this.quotedSchema = settings.quotedSchema();
    }

    /**
     * What became of a transaction.
     *
     * @param failure why it was rolled back; null if it was committed
     */
    private record End(BitSet before, @Nullable Throwable failure) {}

    @Override
    public BitSet once(List<Message> messages, Action action) throws Exception {
        Incarnation life = messages.get(0).epoch().incarnation();
        if (DoneBefore.isKnownOfAll(messages)) {
            BitSet all = new BitSet(messages.size());
            all.set(0, messages.size());
            return all;
        }
        End end;
        try {
            end =
                    database.call(
                            database.lanes(),
                            life,
                            (connection, found) -> run(connection, found, messages, action));
        } catch (AllInUseException e) { // by other calls, which is no outage
            throw new StoreException.RowLocked(
                    e.getMessage() + ": more calls are under way than store.connections allows", e);
        }
        if (end.failure() instanceof Error error) {
            throw error;
        } else if (end.failure() instanceof Exception exception) {
            throw exception;
        }
        return end.before();
    }

    private End run(Connection connection, ServerLife life, List<Message> messages, Action action)
            throws SQLException {
        connection.setAutoCommit(false);
        BitSet before = marked(connection, life, messages);
        if (before.cardinality() == messages.size()) {
            connection.rollback();
            return new End(before, null);
        }
        GivenConnection given = new GivenConnection(connection);
        try {
            action.run(before, given.forUser());
        } catch (OutOfMemoryError e) {
            throw e; // the process is to end
        } catch (Exception | Error e) {
            return new End(before, rolledBack(connection, e));
        } finally {
            given.end();
        }
        return new End(before, committed(connection));
    }

    private BitSet marked(Connection connection, ServerLife life, List<Message> messages)
            throws SQLException {
        try {
            return new Done(connection, quotedSchema, messages).mark(life);
        } catch (SQLException e) {
            if (isToBeTriedAgain(e)) {
                throw again(e);
            }
            throw e;
        }
    }

    /** Rolls back; returns why, unless that is the database itself. */
    private static Throwable rolledBack(Connection connection, Throwable thrown)
            throws SQLException {
        @Nullable SQLException cause = ofOurs(thrown);
        try {
            connection.rollback();
        } catch (SQLException e) {
            if (cause == null) {
                return thrown; // the server has ended the session, since the call took too long
            }
            throw e;
        }
        if (cause != null && isOutage(cause)) {
            throw cause;
        }
        return cause != null && isToBeTriedAgain(cause) ? again(cause) : thrown;
    }

    private static boolean isOutage(SQLException e) {
        String state = SqlErrors.sqlState(e);
        return state.length() == 5
                && (OUTAGE.contains(state.substring(0, 2)) || CORRUPTED.contains(state))
                && !SqlErrors.isTimeUp(e);
    }

    /** Commits; returns why it could not be committed, if the handler's statements are at fault. */
    private static @Nullable Exception committed(Connection connection) throws SQLException {
        TransactionState state = connection.unwrap(BaseConnection.class).getTransactionState();
        if (state != TransactionState.OPEN) {
            connection.rollback();
            return new IllegalStateException(
                    state == TransactionState.IDLE
                            ? "the handler has ended the transaction with a statement of its own"
                            : "a statement of the handler has failed, and it has said nothing of it:"
                                    + " nothing can be committed");
        }
        try {
            connection.commit();
            return null;
        } catch (SQLException e) {
            if (isToBeTriedAgain(e)) {
                return again(e);
            } else if (SqlErrors.isOfServer(e) && !isOutage(e) && !isInternal(e)) {
                return e; // a constraint or a trigger that is deferred to the commit
            }
            throw e;
        }
    }

    private static boolean isToBeTriedAgain(SQLException e) {
        return AGAIN.contains(SqlErrors.sqlState(e));
    }

    private static StoreException again(SQLException e) {
        return new StoreException.RowLocked(
                "another transaction is in the way: " + SqlErrors.describe(e), e);
    }

    /** XX: not the fault of a value, where nothing of the handler runs any more. */
    private static boolean isInternal(SQLException e) {
        return SqlErrors.sqlState(e).startsWith("XX");
    }

    /**
     * What our database has answered, if that is why the call failed. It is not, if the call says
     * itself that something is away, which can be another database; nor if it took too long, unless
     * the network to ours was cut, which it waited for.
     */
    private static @Nullable SQLException ofOurs(Throwable thrown) {
        if (thrown instanceof UnavailableException) {
            return null;
        }
        @Nullable SQLException found = inChain(thrown);
        boolean isCut =
                found != null
                        && !SqlErrors.isOfServer(found)
                        && SqlErrors.sqlState(found).equals("08006");
        return thrown instanceof HandlerTimeoutException && !isCut ? null : found;
    }

    private static @Nullable SQLException inChain(Throwable thrown) {
        Throwable at = thrown;
        for (int depth = 0; at != null && depth < 20; depth++) { // causes may form a circle
            if (at instanceof SQLException found) {
                return found;
            }
            at = at.getCause();
        }
        return null;
    }
}
