package dev.envelope.idempotency.store.postgres.schema;

import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.Sentences;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The schema that is in the database.
 *
 * @param version of the tables; 0 if there are none
 * @param minProgram the oldest program that may run on it, by the version that it works with
 * @param readable whether this role may read it
 * @param applicationId the application that it belongs to; null if none has claimed it
 */
record InstalledSchema(
        int version, int minProgram, boolean readable, @Nullable String applicationId) {

    private static final InstalledSchema NONE = new InstalledSchema(0, 0, true, null);

    /**
     * Tables of version 7 and before lack two of the columns: only programs of the same version may
     * run on them.
     */
    private static final String READ =
            "SELECT coalesce((to_jsonb(a) ->> 'tables_version')::int, a.schema_version),"
                    + " coalesce((to_jsonb(a) ->> 'min_program')::int, a.schema_version),"
                    + " a.application_id FROM %s.application AS a";

    private static final String LOOK =
            "SELECT c.oid IS NOT NULL, pg_catalog.has_schema_privilege(n.oid, 'USAGE')"
                    + " AND pg_catalog.has_table_privilege(c.oid, 'SELECT')"
                    + " FROM pg_catalog.pg_namespace AS n LEFT JOIN pg_catalog.pg_class AS c"
                    + " ON c.relnamespace = n.oid AND c.relname = 'application'"
                    + " WHERE n.nspname = ?";

    /** Reads it; works whatever rights the role has. */
    static InstalledSchema read(Connection connection, PostgresSettings settings)
            throws SQLException {
        try (PreparedStatement look = connection.prepareStatement(LOOK)) {
            look.setString(1, settings.schema());
            try (ResultSet row = look.executeQuery()) {
                if (!row.next() || !row.getBoolean(1)) {
                    return NONE;
                }
                if (!row.getBoolean(2)) {
                    return new InstalledSchema(0, 0, false, null);
                }
            }
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(READ.formatted(settings.quotedSchema()))) {
            return row.next()
                    ? new InstalledSchema(row.getInt(1), row.getInt(2), true, row.getString(3))
                    : NONE;
        }
    }

    /** Sets the application's id if none is set. */
    static void claim(Connection connection, PostgresSettings settings) throws SQLException {
        try (PreparedStatement claim =
                connection.prepareStatement(
                        "UPDATE "
                                + settings.quotedSchema()
                                + ".application SET application_id = ?"
                                + " WHERE application_id IS NULL")) {
            claim.setString(1, settings.applicationId());
            claim.executeUpdate();
        }
    }

    /** Whether its version is newer than this program knows. */
    boolean isNewer() {
        return version > Migrations.VERSION;
    }

    /** Why this program must not run on it, with the fix; null if it may. */
    @Nullable String problem(PostgresSettings settings) {
        if (!readable) {
            return Sentences.lacksRights(settings);
        } else if (version == 0) {
            return Sentences.noSchema(settings);
        } else if (minProgram > Migrations.VERSION) {
            return SchemaSentences.newerSchema(settings, this);
        } else if (version < Migrations.VERSION) {
            return SchemaSentences.olderSchema(settings, version);
        } else if (applicationId != null && !applicationId.equals(settings.applicationId())) {
            return SchemaSentences.otherApplication(settings, applicationId);
        }
        return null;
    }
}
