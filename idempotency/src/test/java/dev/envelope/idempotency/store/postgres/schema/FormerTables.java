package dev.envelope.idempotency.store.postgres.schema;

import dev.envelope.idempotency.store.postgres.TestServer;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Tables of version 7, and the program that goes with them: what it sends, and what it wants to
 * find when it starts.
 */
final class FormerTables {

    static final int VERSION = 7;

    private static final String MISSING_RIGHTS =
            "SELECT string_agg(DISTINCT c.relname, ', ' ORDER BY c.relname)"
                    + " FROM pg_catalog.pg_class AS c"
                    + " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
                    + " CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p(name)"
                    + " WHERE n.nspname = '%s' AND c.relkind IN ('r', 'p')"
                    + " AND c.relname <> 'application'"
                    + " AND NOT pg_catalog.has_table_privilege('%s', c.oid, p.name)";

    private FormerTables() {}

    /** Makes them, with an owner of their own, in a schema of their own. */
    static PostgresSettings create(TestServer server) {
        PostgresSettings settings = server.newSettings();
        Migrations.between(0, VERSION, settings).forEach(server::execute);
        server.execute(
                read("version-7-rights.sql", settings)
                        .replace("${worker}", settings.login().user()));
        return settings;
    }

    /** Writes to each table and reads it, as the worker. */
    static void use(PostgresSettings settings) {
        String user = settings.login().user();
        try (Connection connection = DriverManager.getConnection(settings.url(), user, user);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(read("version-7-statements.sql", settings));
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether such a program would start on the tables of this schema. */
    static boolean areServed(TestServer server, PostgresSettings settings) {
        String version =
                server.query("SELECT schema_version FROM " + settings.schema() + ".application");
        String missing =
                server.query(MISSING_RIGHTS.formatted(settings.schema(), settings.login().user()));
        return version.equals(String.valueOf(VERSION)) && missing.equals("null");
    }

    private static String read(String file, PostgresSettings settings) {
        try (InputStream in = FormerTables.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("there is no " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("${schema}", settings.quotedSchema());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
