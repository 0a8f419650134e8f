package dev.envelope.idempotency.store.postgres.sql;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/**
 * The settings of the store.
 *
 * @param url a JDBC URL without user and password; several hosts are allowed
 * @param applicationId the application whose rows the schema has; the schema refuses another
 * @param instance the name of this process for people, as in {@code parked} and in {@code
 *     pg_stat_activity}
 * @param lanes how many saves and loads may run at once
 */
public record PostgresSettings(
        String url,
        Login login,
        String schema,
        String applicationId,
        String instance,
        int lanes,
        Timeouts timeouts) {

    /** Properties that a URL may not set, because they are fixed or set by other keys. */
    private static final List<String> OWN_PROPERTIES =
            List.of(
                    PGProperty.USER.getName(),
                    PGProperty.PASSWORD.getName(),
                    PGProperty.TARGET_SERVER_TYPE.getName(),
                    PGProperty.CONNECT_TIMEOUT.getName(),
                    PGProperty.LOGIN_TIMEOUT.getName(),
                    PGProperty.SOCKET_TIMEOUT.getName(),
                    PGProperty.CANCEL_SIGNAL_TIMEOUT.getName(),
                    PGProperty.TCP_KEEP_ALIVE.getName(),
                    PGProperty.APPLICATION_NAME.getName(),
                    PGProperty.PREPARE_THRESHOLD.getName(),
                    PGProperty.PREFER_QUERY_MODE.getName(),
                    PGProperty.AUTOSAVE.getName(),
                    PGProperty.BINARY_TRANSFER.getName(),
                    PGProperty.BINARY_TRANSFER_ENABLE.getName(),
                    PGProperty.BINARY_TRANSFER_DISABLE.getName(),
                    PGProperty.LOG_SERVER_ERROR_DETAIL.getName(),
                    PGProperty.STRING_TYPE.getName(),
                    PGProperty.OPTIONS.getName(),
                    PGProperty.READ_ONLY.getName());

    private static final Pattern IDENTIFIER = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    public PostgresSettings {
        List<String> problems = new ArrayList<>();
        checkUrl(url, problems);
        checkSchema(schema, problems);
        if (applicationId.isBlank()) {
            problems.add("the application id is blank");
        }
        if (lanes < 1) {
            problems.add("at least one connection is needed for the rows, not " + lanes);
        }
        problems.addAll(timeouts.problems());
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    /** The same database with another role. */
    public PostgresSettings withLogin(Login other) {
        return new PostgresSettings(url, other, schema, applicationId, instance, lanes, timeouts);
    }

    /** The schema's name, quoted for SQL. */
    public String quotedSchema() {
        return '"' + schema + '"';
    }

    private static void checkUrl(String url, List<String> problems) {
        // Checked first, since the driver logs what it takes for a port, which may be a password.
        if (url.indexOf('@') >= 0 && url.indexOf('@') < (url + '?').indexOf('?')) {
            problems.add("the URL holds an @: user and password are keys of their own");
            return;
        }
        Properties parsed = url.startsWith("jdbc:postgresql:") ? Driver.parseURL(url, null) : null;
        if (parsed == null) {
            problems.add("the URL is not of the form jdbc:postgresql://host:port/database");
            return;
        }
        Set<String> names = parsed.stringPropertyNames();
        for (String name : OWN_PROPERTIES) {
            if (names.contains(name)) {
                problems.add("the URL sets " + name + ", which is set by other keys or fixed");
            }
        }
    }

    private static void checkSchema(String schema, List<String> problems) {
        if (!IDENTIFIER.matcher(schema).matches()) {
            problems.add(
                    "the schema's name must be lower-case letters, digits and underscores,"
                            + " at most 63, and begin with no digit");
        } else if (schema.startsWith("pg_") || schema.equals("information_schema")) {
            problems.add("the schema's name " + schema + " is reserved by Postgres");
        }
    }

    /**
     * A role and where its password comes from.
     *
     * @param password read for each connection, so that it can be changed while running; null if
     *     the server asks for none
     */
    public record Login(String user, @Nullable Supplier<char[]> password) {

        public Login {
            if (user.isBlank() || user.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("the database user has no name");
            }
        }

        @Override
        public String toString() {
            return "Login[user=" + user + "]";
        }
    }

    /**
     * The timeouts. That for a lock is shorter than that of the statement, and that shorter than
     * that of the socket, so that the server always reports a timeout before the client does.
     *
     * @param borrow how long a caller waits for a free or new connection
     * @param idleInTransaction after which the server ends a session that is silent within a
     *     transaction, which frees its locks
     */
    public record Timeouts(
            Duration connect,
            Duration borrow,
            Duration lock,
            Duration statement,
            Duration socket,
            Duration idleInTransaction) {

        /** For a rebalance deadline of 2 to 3 s. */
        public static final Timeouts DEFAULT =
                new Timeouts(
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(5),
                        Duration.ofMillis(500),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(15),
                        Duration.ofSeconds(1));

        private static final Duration SHORTEST_BORROW = Duration.ofMillis(500);
        private static final int STATEMENTS_OF_A_TRANSACTION = 6;

        /**
         * After this a server of version 17 or later ends a transaction, whatever it waits for. It
         * is longer than any transaction that makes progress, so that none is repeated endlessly.
         */
        Duration transaction() {
            return Duration.ofMillis(
                    Math.min(
                            statement.toMillis() * STATEMENTS_OF_A_TRANSACTION, Integer.MAX_VALUE));
        }

        public List<String> problems() {
            List<String> problems = new ArrayList<>();
            for (Duration each : List.of(connect, lock, statement, idleInTransaction)) {
                if (each.toMillis() < 1 || each.toMillis() > Integer.MAX_VALUE) {
                    problems.add("a timeout of " + each + " is none");
                }
            }
            if (borrow.compareTo(SHORTEST_BORROW) < 0) {
                problems.add("waiting " + borrow + " for a connection is shorter than 500 ms");
            }
            if (lock.compareTo(statement) >= 0 || statement.compareTo(socket) >= 0) {
                problems.add(
                        "the timeouts must grow from lock ("
                                + lock
                                + ") to statement ("
                                + statement
                                + ") to socket ("
                                + socket
                                + ")");
            }
            return problems;
        }
    }
}
