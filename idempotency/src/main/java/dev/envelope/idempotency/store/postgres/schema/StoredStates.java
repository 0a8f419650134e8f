package dev.envelope.idempotency.store.postgres.schema;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A sample of the stored states, to check whether a handler can read them. */
public final class StoredStates {

    /** So many are read at most. */
    public static final int MOST = 100;

    private StoredStates() {}

    /**
     * The first states in the table; empty if there is no table.
     *
     * @throws UnavailableException if the database can't be used
     */
    public static List<byte[]> some(PostgresSettings settings) {
        String table = settings.quotedSchema() + ".state";
        List<byte[]> states = new ArrayList<>();
        try (Connection connection =
                        new Connector(settings, settings.timeouts().lock()).getConnection();
                Statement query = connection.createStatement()) {
            try (ResultSet row =
                    query.executeQuery("SELECT to_regclass('" + table + "') IS NOT NULL")) {
                row.next();
                if (!row.getBoolean(1)) {
                    return states;
                }
            }
            try (ResultSet row =
                    query.executeQuery(
                            "SELECT state::text FROM "
                                    + table
                                    + " WHERE state IS NOT NULL LIMIT "
                                    + MOST)) {
                while (row.next()) {
                    states.add(row.getString(1).getBytes(StandardCharsets.UTF_8));
                }
            }
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
        return states;
    }
}
