package dev.envelope.idempotency.store.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** How the server would run a statement. */
public final class Plans {

    private Plans() {}

    /** The plan of a statement with question marks, without costs. */
    public static String of(Connection connection, String sql) throws SQLException {
        String[] parts = sql.split("\\?", -1);
        String numbered =
                IntStream.range(0, parts.length)
                        .mapToObj(i -> parts[i] + (i + 1 < parts.length ? "$" + (i + 1) : ""))
                        .collect(Collectors.joining());
        List<String> nulls = Collections.nCopies(parts.length - 1, "NULL");
        try (Statement statement = connection.createStatement()) {
            statement.execute("DEALLOCATE ALL");
            statement.execute("PREPARE save AS " + numbered);
            StringBuilder plan = new StringBuilder();
            try (ResultSet row =
                    statement.executeQuery(
                            "EXPLAIN (COSTS OFF) EXECUTE save(" + String.join(", ", nulls) + ")")) {
                while (row.next()) {
                    plan.append(row.getString(1)).append('\n');
                }
            }
            return plan.toString();
        }
    }
}
