package dev.envelope.idempotency.store.postgres.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements on one connection. SQL has {@code %1$s} for the schema, and values are in the
 * order of the question marks.
 */
public final class Statements {

    private final Connection connection;
    private final String quotedSchema;

    public Statements(Connection connection, String quotedSchema) {
        this.connection = connection;
        this.quotedSchema = quotedSchema;
    }

    /**
     * Reads a row.
     *
     * @param <T> the result
     */
    @FunctionalInterface
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Takes each row. */
    @FunctionalInterface
    public interface EachRow {
        void take(ResultSet row) throws SQLException;
    }

    /** Changes rows; returns how many. */
    public int update(String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = bound(sql, values)) {
            return statement.executeUpdate();
        }
    }

    /** All rows of a result. */
    public <T> List<T> list(String sql, Row<T> each, @Nullable Object... values)
            throws SQLException {
        List<T> found = new ArrayList<>();
        query(sql, row -> found.add(each.read(row)), values);
        return found;
    }

    /** The first row of a result, if there is one. */
    public <T> Optional<T> first(String sql, Row<T> of, @Nullable Object... values)
            throws SQLException {
        try (PreparedStatement statement = bound(sql, values);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? Optional.of(of.read(row)) : Optional.empty();
        }
    }

    /** The row of a result that always has one. */
    public <T> T one(String sql, Row<T> of, @Nullable Object... values) throws SQLException {
        return first(sql, of, values).orElseThrow(() -> new SQLException("no row came of: " + sql));
    }

    /** Passes each row of a result to a function. */
    public void query(String sql, EachRow each, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = bound(sql, values);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                each.take(row);
            }
        }
    }

    private PreparedStatement bound(String sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql.formatted(quotedSchema));
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
