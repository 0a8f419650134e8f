package dev.envelope.idempotency.store.postgres.schema;

import dev.envelope.idempotency.store.pin.RowKeyPins;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/**
 * The column {@code application.null_key_spread}, which programs of version 7 and before use
 * instead of pins: over how many rows records without a key are spread, or 0 if those of a
 * partition go to one row. While such programs may run, it is kept equal to the pins.
 */
final class FormerSpread {

    /** Tables of version 4 and before have no such column. */
    private static final String READ =
            "SELECT (to_jsonb(a) ->> 'null_key_spread')::int FROM %1$s.application AS a"
                    + " WHERE to_jsonb(a) ->> 'null_key_spread' IS NOT NULL";

    private static final String WRITE =
            "UPDATE %1$s.application SET null_key_spread = p.spread FROM (SELECT CASE rule.value"
                    + " WHEN 'partition' THEN 0 WHEN 'spread' THEN number.value::int END AS spread"
                    + " FROM %1$s.pin AS rule LEFT JOIN %1$s.pin AS number"
                    + " ON number.name = '"
                    + RowKeyPins.NULL_KEY_SPREAD
                    + "' WHERE rule.name = '"
                    + RowKeyPins.ON_NULL_KEY
                    + "') AS p WHERE p.spread IS NOT NULL"
                    + " AND null_key_spread IS DISTINCT FROM p.spread";

    private FormerSpread() {}

    /** Its value as pins; empty if records without a key never had a row. */
    static Map<String, String> read(Connection connection, PostgresSettings settings)
            throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(READ.formatted(settings.quotedSchema()))) {
            if (!row.next()) {
                return Map.of();
            }
            int rows = row.getInt(1);
            return rows == 0
                    ? Map.of(RowKeyPins.ON_NULL_KEY, RowKeyPins.PARTITION)
                    : Map.of(
                            RowKeyPins.ON_NULL_KEY,
                            RowKeyPins.SPREAD,
                            RowKeyPins.NULL_KEY_SPREAD,
                            Integer.toString(rows));
        }
    }

    /** Sets it to the value of the pins. */
    static void write(Connection connection, PostgresSettings settings) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(WRITE.formatted(settings.quotedSchema()));
        }
    }
}
