package dev.envelope.integration.cluster;

import dev.envelope.integration.stack.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Saves for which the server takes its time, for a while: a trigger that sleeps.
 *
 * <p>Threads: immutable.
 */
public final class SlowSaves {

    private static final List<String> BEGIN =
            List.of(
                    "CREATE FUNCTION %1$s.linger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                            + " PERFORM pg_sleep(0.5); RETURN NULL; END $$",
                    "CREATE TRIGGER linger BEFORE UPDATE ON %1$s.state FOR EACH STATEMENT EXECUTE"
                            + " FUNCTION %1$s.linger()");
    private static final List<String> END =
            List.of("DROP TRIGGER linger ON %1$s.state", "DROP FUNCTION %1$s.linger()");

    private SlowSaves() {}

    /** Does something while they are slow. */
    static boolean during(Database owner, String schema, BooleanSupplier action) {
        execute(owner, schema, BEGIN);
        try {
            return action.getAsBoolean();
        } finally {
            execute(owner, schema, END);
        }
    }

    private static void execute(Database owner, String schema, List<String> statements) {
        try (Connection connection = owner.connect();
                Statement statement = connection.createStatement()) {
            // Whoever holds the table for longer than this is never going to let it go.
            statement.execute("SET lock_timeout = '60s'");
            for (String sql : statements) {
                statement.execute(sql.formatted(schema));
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the saves can't be slowed down or let go", e);
        }
    }
}
