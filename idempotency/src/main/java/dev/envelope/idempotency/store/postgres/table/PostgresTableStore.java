package dev.envelope.idempotency.store.postgres.table;

import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import dev.envelope.idempotency.store.postgres.sql.TableSql;
import dev.envelope.idempotency.store.table.TableRow;
import dev.envelope.idempotency.store.table.TableSettings;
import dev.envelope.idempotency.store.table.TableStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** A user's table in Postgres, read on a connection of its own. */
public final class PostgresTableStore implements TableStore {

    /** So many bytes are fetched in one go, so that a page of large rows can end early. */
    private static final long FETCHED_BYTES = 1 << 20;

    private static final int MOST_FETCHED = 500;

    private static final String NUMBERS = "SELECT pg_catalog.nextval('%1$s.reading')";

    private final PostgresSettings settings;
    private final TableSql table;
    private final Connector connector;
    private final SqlErrors errors;
    private @Nullable Connection open;
    private long largest = FETCHED_BYTES / 20; // the largest row of the last pages

    public PostgresTableStore(PostgresSettings settings, TableSql table) {
        this.settings = settings;
        this.table = table;
        this.connector = new Connector(settings, settings.timeouts().lock());
        this.errors = new SqlErrors(settings);
    }

    /** Work on the connection. */
    @FunctionalInterface
    private interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    @Override
    public TableSettings settings() {
        return table.settings();
    }

    @Override
    public Page read(Part part, TableRow.@Nullable Place behind, Most most) {
        return call(
                connection -> {
                    try {
                        return read(connection, part, behind, most);
                    } catch (SQLException e) {
                        if (SqlErrors.isOutOfMemory(e)) {
                            largest = FETCHED_BYTES; // the next time row by row
                        }
                        throw e;
                    }
                });
    }

    private Page read(Connection connection, Part part, TableRow.@Nullable Place behind, Most most)
            throws SQLException {
        connection.setAutoCommit(false); // or the driver fetches all at once
        try (PreparedStatement query =
                connection.prepareStatement(
                        table.page(part.slot(), part.slots(), behind == null))) {
            int at = 1;
            if (behind != null) {
                query.setString(at++, behind.key());
                query.setString(at++, behind.id());
            }
            query.setInt(at, most.rows());
            query.setFetchSize(fetched());
            List<TableRow> rows = new ArrayList<>();
            long bytes = 0;
            boolean isCut = false;
            try (ResultSet row = query.executeQuery()) {
                while (!isCut && row.next()) {
                    TableRow next =
                            new TableRow(
                                    row.getString(1),
                                    row.getString(2),
                                    row.getBytes(3),
                                    row.getLong(4));
                    rows.add(next);
                    bytes += next.bytes();
                    isCut = bytes >= most.bytes();
                }
            }
            connection.commit();
            connection.setAutoCommit(true);
            long largestNow = rows.stream().mapToLong(TableRow::bytes).max().orElse(1);
            largest = Math.max(largestNow, largest / 2); // so that a page does not fetch far more
            return new Page(rows, !isCut && rows.size() < most.rows());
        }
    }

    private int fetched() {
        return (int) Math.max(1, Math.min(MOST_FETCHED, FETCHED_BYTES / largest));
    }

    @Override
    public long count(Part part, long limit) {
        return call(
                connection -> {
                    try (PreparedStatement query =
                            connection.prepareStatement(table.count(part.slot(), part.slots()))) {
                        query.setLong(1, limit);
                        query.setQueryTimeout(1); // it is only shown
                        try (ResultSet row = query.executeQuery()) {
                            row.next();
                            return row.getLong(1);
                        }
                    }
                });
    }

    @Override
    public long numbers() {
        return call(
                connection ->
                        new Statements(connection, settings.quotedSchema())
                                        .one(NUMBERS, row -> row.getLong(1))
                                * TableStore.NUMBERS);
    }

    @Override
    public boolean await(Duration most) {
        if (settings().channel() == null) {
            return false;
        }
        return call(
                connection -> {
                    PGNotification @Nullable [] told =
                            connection
                                    .unwrap(PGConnection.class)
                                    .getNotifications((int) Math.max(1, most.toMillis()));
                    return told != null && told.length > 0;
                });
    }

    private <T> T call(Work<T> work) {
        try {
            return work.on(connection());
        } catch (SQLException e) {
            close();
            throw errors.unavailable(e);
        }
    }

    private Connection connection() throws SQLException {
        Connection present = open;
        if (present == null) {
            present = connector.getConnection();
            open = present;
            listen(present);
        }
        if (!table.isFound()) {
            TableFinder.find(table, new Statements(present, settings.quotedSchema()));
        }
        return present;
    }

    private void listen(Connection connection) throws SQLException {
        @Nullable String channel = settings().channel();
        if (channel != null) {
            try (Statement listen = connection.createStatement()) {
                listen.execute("LISTEN \"" + channel.replace("\"", "\"\"") + '"');
            }
        }
    }

    @Override
    public void close() {
        Connection present = open;
        open = null;
        if (present != null) {
            try {
                present.close();
            } catch (SQLException e) {
                throw errors.unavailable(e);
            }
        }
    }
}
