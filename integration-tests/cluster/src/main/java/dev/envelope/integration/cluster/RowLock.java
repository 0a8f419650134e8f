package dev.envelope.integration.cluster;

import dev.envelope.integration.stack.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.function.BooleanSupplier;

/**
 * Rows that a session outside holds for a while.
 *
 * <p>Threads: immutable.
 */
public final class RowLock {

    private RowLock() {}

    /** Does something while it holds them. */
    public static boolean during(
            Database database, String schema, Collection<String> keys, BooleanSupplier action) {
        String sql =
                "SELECT key FROM " + schema + ".state WHERE key = ANY (?) ORDER BY key FOR UPDATE";
        try (Connection connection = database.connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            connection.setAutoCommit(false);
            statement.setArray(1, connection.createArrayOf("text", keys.toArray()));
            statement.executeQuery().close();
            boolean result = action.getAsBoolean();
            connection.rollback();
            return result;
        } catch (SQLException e) {
            throw new IllegalStateException("the rows can't be held", e);
        }
    }
}
