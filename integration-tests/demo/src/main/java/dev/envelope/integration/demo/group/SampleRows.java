package dev.envelope.integration.demo.group;

import dev.envelope.integration.stack.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A look into the database: for people by psql, and for those without it, some rows.
 *
 * <p>Threads: immutable.
 */
public record SampleRows(Database database, String schema) {

    private static final String QUERY =
            "SELECT key, left(state::jsonb::text, 120), version FROM %s.state ORDER BY version DESC LIMIT 5";

    /** The command that shows them. */
    public String psql() {
        String address = database.url().substring("jdbc:".length());
        String place = address.substring(address.indexOf("//") + 2);
        return "PGPASSWORD=%s psql postgresql://%s@%s -c \"%s\""
                .formatted(database.password(), database.user(), place, QUERY.formatted(schema));
    }

    /** The same rows as text. */
    public String read() {
        StringBuilder text = new StringBuilder("  key          version  state\n");
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(QUERY.formatted(schema))) {
            while (row.next()) {
                text.append(
                        "  %-12s %7d  %s%n"
                                .formatted(row.getString(1), row.getLong(3), row.getString(2)));
            }
            return text.toString().stripTrailing();
        } catch (SQLException e) {
            return "  (the rows can't be read: " + e.getMessage() + ")";
        }
    }
}
