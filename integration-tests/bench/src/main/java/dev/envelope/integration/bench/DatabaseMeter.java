package dev.envelope.integration.bench;

import dev.envelope.integration.stack.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * The benchmark's own view of its database: readies it for a run, and reads the server's counters.
 *
 * <p>Threads: one at a time.
 */
final class DatabaseMeter {

    /**
     * The server's counters.
     *
     * @param walPosition in bytes
     */
    record Counters(long transactions, long rows, long walPosition) {}

    private static final long PAUSE_MILLIS = 20;
    private static final int PATIENCE = 500;

    private final Database superuser;
    private final String worker;

    /**
     * @param superuser the contestants' database, with the rights to run a checkpoint
     * @param worker the role of the contestants
     */
    DatabaseMeter(Database superuser, String worker) {
        this.superuser = superuser;
        this.worker = worker;
    }

    /** Leaves no work of an earlier run for the next. */
    void clear(String... schemas) throws SQLException {
        for (String schema : schemas) {
            execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
        }
        execute("VACUUM");
        execute("CHECKPOINT");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = superuser.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Reads them after the contestant's sessions have ended: only then are they complete. */
    Counters read(String schema) throws SQLException, InterruptedException {
        awaitSessionsEnd();
        try (Connection connection = superuser.connect();
                PreparedStatement query =
                        connection.prepareStatement(
                                "SELECT xact_commit, (SELECT coalesce(sum(n_tup_ins + n_tup_upd),"
                                        + " 0) FROM pg_stat_user_tables WHERE schemaname = ?),"
                                        + " pg_current_wal_insert_lsn() - '0/0' FROM pg_stat_database"
                                        + " WHERE datname = current_database()")) {
            query.setString(1, schema);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return new Counters(row.getLong(1), row.getLong(2), row.getLong(3));
            }
        }
    }

    private void awaitSessionsEnd() throws SQLException, InterruptedException {
        for (int i = 0; i < PATIENCE; i++) {
            if (sessions() == 0) {
                return;
            }
            Thread.sleep(PAUSE_MILLIS); // a server tells nobody that a session has ended
        }
        throw new IllegalStateException("the contestant's sessions do not end");
    }

    private long sessions() throws SQLException {
        try (Connection connection = superuser.connect();
                PreparedStatement query =
                        connection.prepareStatement(
                                "SELECT count(*) FROM pg_stat_activity WHERE usename = ?")) {
            query.setString(1, worker);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** What a query for one number finds; 0 where it is null. */
    long number(String sql) throws SQLException {
        try (Connection connection = superuser.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** The settings that decide what "durable" means, as the server has them. */
    List<String> durability() throws SQLException {
        try (Connection connection = superuser.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT version(), current_setting('fsync'),"
                                        + " current_setting('synchronous_commit'),"
                                        + " current_setting('full_page_writes')")) {
            row.next();
            return List.of(row.getString(1), row.getString(2), row.getString(3), row.getString(4));
        }
    }
}
