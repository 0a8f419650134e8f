package dev.envelope.idempotency.store.postgres.sql;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.row.StoreException;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;
import org.postgresql.util.ServerErrorMessage;

/** Classifies errors by SQLSTATE. What is not listed is infrastructure (I11). */
public final class SqlErrors {

    /** What is at fault. */
    public enum Fault {
        /** 22, 23, 54: the row can't be stored as it is. Version conflicts are not errors. */
        ROW,
        /**
         * 55P03, 57014: another session holds a lock for longer than we wait. 40001: it has changed
         * what we have read.
         */
        LOCK,
        /**
         * 0A, 28, 3D, 3F, 42, an untrusted certificate, or a connection that the driver rejects: a
         * setting or a right.
         */
        REFUSED,
        INFRASTRUCTURE
    }

    private final PostgresSettings settings;

    public SqlErrors(PostgresSettings settings) {
        this.settings = settings;
    }

    public static Fault fault(SQLException e) {
        if (find(e, RefusedSqlException.class) != null) {
            return Fault.REFUSED;
        }
        if (isDistrust(e) || isDisagreement(e)) {
            return Fault.REFUSED;
        }
        String state = sqlState(e);
        if (state.equals("55P03") || state.equals("57014") || state.equals("40001")) {
            return Fault.LOCK;
        }
        return switch (state.isEmpty() ? "" : state.substring(0, 2)) {
            case "22", "23", "54" -> Fault.ROW;
            case "28", "3D", "3F", "42" -> Fault.REFUSED;
            case "0A" -> isOldPlan(e) ? Fault.INFRASTRUCTURE : Fault.REFUSED;
            default -> Fault.INFRASTRUCTURE;
        };
    }

    /** Whether the server's certificate is not trusted; waiting does not help. */
    private static boolean isDistrust(SQLException e) {
        PSQLException driver = find(e, PSQLException.class);
        return find(e, GeneralSecurityException.class) != null
                || (driver != null
                        && PSQLState.CONNECTION_FAILURE.getState().equals(driver.getSQLState())
                        && String.valueOf(driver.getMessage()).contains("hostnameverifier"));
    }

    /**
     * Whether the driver itself reports 08004: the server does not support what the settings
     * require, or requires what they lack. If the server reports 08004, a later try may succeed.
     */
    private static boolean isDisagreement(SQLException e) {
        PSQLException driver = find(e, PSQLException.class);
        return driver != null
                && driver.getServerErrorMessage() == null
                && PSQLState.CONNECTION_REJECTED.getState().equals(driver.getSQLState());
    }

    /** Whether a table was altered since the statement was prepared; a new connection helps. */
    private static boolean isOldPlan(SQLException e) {
        PSQLException driver = find(e, PSQLException.class);
        return driver != null
                && driver.getServerErrorMessage() != null
                && "RevalidateCachedQuery".equals(driver.getServerErrorMessage().getRoutine());
    }

    /** The exception of a save, whose caller can handle a faulty or locked row. */
    public RuntimeException ofSave(SQLException e) {
        return switch (fault(e)) {
            case ROW ->
                    new StoreException.RowFault("a row can't be stored: " + describe(e), scrub(e));
            case LOCK ->
                    new StoreException.RowLocked(
                            "somebody else holds a row's lock: " + describe(e), scrub(e));
            case REFUSED, INFRASTRUCTURE -> unavailable(e);
        };
    }

    /**
     * The exception of a save that skips locked rows. If it hit the statement timeout, it was slow
     * for another reason than a row.
     */
    public RuntimeException ofSaveAroundLocks(SQLException e) {
        return isTimeUp(e) ? unavailable(e) : ofSave(e);
    }

    /** Whether the server has reported it, and not the driver. */
    public static boolean isOfServer(SQLException e) {
        PSQLException driver = find(e, PSQLException.class);
        return driver != null && driver.getServerErrorMessage() != null;
    }

    /** Whether it is 57014: the statement timeout, or a cancelled statement. */
    public static boolean isTimeUp(SQLException e) {
        return sqlState(e).equals("57014");
    }

    /** Whether the server does not have the schema, or the table: 3F000, 42P01. */
    public static boolean isUndefined(SQLException e) {
        return sqlState(e).equals("3F000") || sqlState(e).equals("42P01");
    }

    /**
     * Whether it is 53200: a result that is too large for our memory, reported by the driver, or
     * the server is out of memory.
     */
    public static boolean isOutOfMemory(SQLException e) {
        return sqlState(e).equals("53200");
    }

    /** The exception of everything else: the caller waits and tries again. */
    public UnavailableException unavailable(SQLException e) {
        return fault(e) == Fault.REFUSED
                ? new RefusedException(refusal(e), scrub(e))
                : new UnavailableException(
                        "the database can't serve now: " + describe(e), scrub(e));
    }

    private String refusal(SQLException e) {
        RefusedSqlException own = find(e, RefusedSqlException.class);
        if (own != null) {
            return String.valueOf(own.getMessage());
        }
        String state = sqlState(e);
        String fix;
        if (isDistrust(e)) {
            fix = Sentences.distrusted();
        } else if (isDisagreement(e) && String.valueOf(e.getMessage()).contains("SSL")) {
            fix = Sentences.noEncryption(); // the word is the same in all languages of the driver
        } else if (state.startsWith("28") || isDisagreement(e)) {
            fix = Sentences.wrongPassword(settings);
        } else if (state.startsWith("3D")) {
            fix = Sentences.noDatabase();
        } else if (state.equals("42501")) {
            fix = Sentences.lacksRights(settings);
        } else if (state.startsWith("0A")) {
            fix = Sentences.notSupported();
        } else if (state.equals("42P05")) { // a prepared statement of another client exists
            fix = Sentences.POOLED_TRANSACTIONS;
        } else {
            fix = Sentences.noSchema(settings);
        }
        return fix + " (" + describe(e) + ")";
    }

    /** The SQLSTATE of the server or driver, also if the pool has wrapped the exception. */
    public static String sqlState(SQLException e) {
        String state = "";
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (at instanceof SQLException sql && sql.getSQLState() != null) {
                state = sql.getSQLState();
            }
        }
        return state;
    }

    /**
     * The error in one line that quotes no row, as the server's own messages about bad input do.
     */
    public static String describe(SQLException e) {
        PSQLException server = find(e, PSQLException.class);
        String state = sqlState(e);
        ServerErrorMessage error = server == null ? null : server.getServerErrorMessage();
        if (fault(e) == Fault.ROW) {
            StringBuilder text = new StringBuilder("SQLSTATE ").append(state);
            if (error != null) {
                append(text, "table", error.getTable());
                append(text, "column", error.getColumn());
                append(text, "constraint", error.getConstraint());
                append(text, "raised by", error.getRoutine());
            }
            return text.toString();
        }
        String message;
        if (error != null) {
            message = error.getMessage();
        } else {
            message = (server == null ? e : server).getMessage();
        }
        return oneLine(String.valueOf(message)) + (state.isEmpty() ? "" : ", SQLSTATE " + state);
    }

    private static void append(StringBuilder text, String what, @Nullable String name) {
        if (name != null) {
            text.append(", ").append(what).append(' ').append(name);
        }
    }

    /** The error without quoted data, but with its stack trace. */
    private static SQLException scrub(SQLException e) {
        SQLException scrubbed = new SQLException(describe(e), sqlState(e));
        scrubbed.setStackTrace(e.getStackTrace());
        return scrubbed;
    }

    private static String oneLine(String text) {
        String line = text.replaceAll("\\s+", " ").trim();
        return line.length() <= 300 ? line : line.substring(0, 300) + "…";
    }

    private static <T extends Throwable> @Nullable T find(Throwable e, Class<T> type) {
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (type.isInstance(at)) {
                return type.cast(at);
            }
        }
        return null;
    }
}
