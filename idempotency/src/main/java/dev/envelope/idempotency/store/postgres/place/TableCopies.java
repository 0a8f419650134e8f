package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;
import org.postgresql.copy.CopyOut;

/**
 * Copies tables and sequences from a schema into one with the same tables, on another server or the
 * same. The rows stream through this process: of them it holds one at a time.
 */
public final class TableCopies {

    /** Those that others refer to come first. */
    private static final String TABLES =
            "SELECT c.relname FROM pg_catalog.pg_class AS c"
                    + " WHERE c.relnamespace = ?::regnamespace AND c.relkind = 'r'"
                    + " ORDER BY EXISTS (SELECT FROM pg_catalog.pg_constraint AS f"
                    + " WHERE f.conrelid = c.oid AND f.contype = 'f'), c.relname";

    private static final String COLUMNS =
            "SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)"
                    + " FROM pg_catalog.pg_attribute AS a"
                    + " WHERE a.attrelid = pg_catalog.to_regclass(?) AND a.attnum > 0"
                    + " AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum";

    private static final String SEQUENCES =
            "SELECT c.relname FROM pg_catalog.pg_class AS c"
                    + " WHERE c.relnamespace = ?::regnamespace AND c.relkind = 'S'";

    private static final int LONGEST_SCAN = (int) Duration.ofHours(12).toMillis();

    private final Connection from;
    private final String fromSchema;
    private final Connection to;
    private final String toSchema;

    /**
     * @param from in a transaction with one snapshot
     * @param to in a transaction, which the caller commits
     */
    public TableCopies(Connection from, String fromSchema, Connection to, String toSchema) {
        this.from = from;
        this.fromSchema = fromSchema;
        this.to = to;
        this.toSchema = toSchema;
    }

    /**
     * Copies all tables, in place of what the target has, and has its sequences go on where these
     * are.
     *
     * @param copied is told of the rows so far, now and then
     * @return how many rows each table has
     * @throws RefusedSqlException if the tables differ, or do not have the same rows afterwards
     */
    Map<String, Long> copy(LongConsumer copied) throws SQLException {
        List<String> tables = names(from, fromSchema, TABLES);
        requireSame(tables);
        for (int i = tables.size() - 1; i >= 0; i--) { // what a migration has written
            execute(to, "DELETE FROM " + in(toSchema, tables.get(i)));
        }
        Map<String, Long> rows = new LinkedHashMap<>();
        long before = 0;
        for (String table : tables) {
            long base = before;
            long its = copy(table, count -> copied.accept(base + count));
            rows.put(table, its);
            before += its;
        }
        goOn();
        return rows;
    }

    /** Has the target's sequences go on where these are. */
    public void goOn() throws SQLException {
        for (String sequence : names(from, fromSchema, SEQUENCES)) {
            goOn(sequence);
        }
    }

    private void requireSame(List<String> tables) throws SQLException {
        if (!new TreeMap<>(columnsOf(from, fromSchema, tables))
                .equals(new TreeMap<>(columnsOf(to, toSchema, tables)))) {
            for (String table : tables) {
                Map<String, String> ours = columns(from, fromSchema, table);
                Map<String, String> theirs = columns(to, toSchema, table);
                if (!ours.equals(theirs)) {
                    throw new RefusedSqlException(
                            "the table %s is not the same on both servers: %s there, %s here"
                                    .formatted(table, theirs.isEmpty() ? "none" : theirs, ours));
                }
            }
        }
    }

    private static Map<String, Map<String, String>> columnsOf(
            Connection connection, String schema, List<String> tables) throws SQLException {
        Map<String, Map<String, String>> all = new LinkedHashMap<>();
        for (String table : tables) {
            all.put(table, columns(connection, schema, table));
        }
        return all;
    }

    /** The columns of a table, by their names, with their types. */
    public static Map<String, String> columns(Connection connection, String schema, String table)
            throws SQLException {
        Map<String, String> columns = new LinkedHashMap<>();
        try (PreparedStatement query = connection.prepareStatement(COLUMNS)) {
            query.setString(1, in(schema, table));
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    columns.put(row.getString(1), row.getString(2));
                }
            }
        }
        return columns;
    }

    private static List<String> names(Connection connection, String schema, String sql)
            throws SQLException {
        List<String> names = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, quoted(schema));
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    names.add(row.getString(1));
                }
            }
        }
        return names;
    }

    /** The tables of a schema, quoted and with its name. */
    static List<String> tables(Connection connection, String schema) throws SQLException {
        return names(connection, schema, TABLES).stream().map(it -> in(schema, it)).toList();
    }

    /** A message of the server has one row, and the first also the header. */
    private long copy(String table, LongConsumer copied) throws SQLException {
        String columns =
                String.join(
                        ", ",
                        columns(from, fromSchema, table).keySet().stream()
                                .map(TableCopies::quoted)
                                .toList());
        CopyOut out =
                copyManager(from)
                        .copyOut(
                                "COPY %s (%s) TO STDOUT (FORMAT binary)"
                                        .formatted(in(fromSchema, table), columns));
        try {
            CopyIn in =
                    copyManager(to)
                            .copyIn(
                                    "COPY %s (%s) FROM STDIN (FORMAT binary)"
                                            .formatted(in(toSchema, table), columns));
            long read = 0;
            try {
                for (byte @Nullable [] part = out.readFromCopy();
                        part != null;
                        part = out.readFromCopy()) {
                    in.writeToCopy(part, 0, part.length);
                    copied.accept(++read);
                }
                long written = in.endCopy();
                requireAll(table, out.getHandledRowCount(), written);
                return written;
            } finally {
                if (in.isActive()) {
                    in.cancelCopy();
                }
            }
        } finally {
            if (out.isActive()) {
                out.cancelCopy();
            }
        }
    }

    private void requireAll(String table, long read, long written) throws SQLException {
        long stored = count(to, in(toSchema, table));
        if (read != written || written != stored) {
            throw new RefusedSqlException(
                    "of %d rows of %s, %d were copied, and there are %d: nothing was committed"
                            .formatted(read, table, written, stored));
        }
    }

    private void goOn(String sequence) throws SQLException {
        try (Statement query = from.createStatement();
                ResultSet row =
                        query.executeQuery(
                                "SELECT last_value, is_called FROM " + in(fromSchema, sequence));
                PreparedStatement set =
                        to.prepareStatement("SELECT pg_catalog.setval(?::regclass, ?, ?)")) {
            row.next();
            set.setString(1, in(toSchema, sequence));
            set.setLong(2, row.getLong(1));
            set.setBoolean(3, row.getBoolean(2));
            set.execute();
        }
    }

    /** How many rows a table has. */
    public static long count(Connection connection, String table) throws SQLException {
        return patiently(
                connection,
                () ->
                        new Statements(connection, "")
                                .one("SELECT count(*) FROM " + table, row -> row.getLong(1)));
    }

    /** What looks at each row of a table. A server is silent until it knows the answer. */
    @FunctionalInterface
    public interface Scan<T> {
        T done() throws SQLException;
    }

    /** Waits longer for an answer than for other ones. */
    public static <T> T patiently(Connection connection, Scan<T> scan) throws SQLException {
        int silence = connection.getNetworkTimeout();
        connection.setNetworkTimeout(Runnable::run, LONGEST_SCAN);
        try {
            return scan.done();
        } finally {
            if (!connection.isClosed()) {
                connection.setNetworkTimeout(Runnable::run, silence);
            }
        }
    }

    /** Copies of a connection. */
    public static CopyManager copyManager(Connection connection) throws SQLException {
        return connection.unwrap(PGConnection.class).getCopyAPI();
    }

    /** Executes a statement. */
    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String in(String schema, String name) {
        return quoted(schema) + "." + quoted(name);
    }

    /** As an identifier. */
    public static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
