package dev.envelope.idempotency.store.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * The checks before a start: everything that would otherwise be found one by one, later, by a
 * worker.
 *
 * <p>Threads: immutable.
 */
public final class Preflight {

    private static final int OLDEST_SERVER = 140_000;
    private static final int LOOKS_FOR_A_POOLER = 50;

    private static final String SERVER =
            "SELECT pg_catalog.current_setting('server_version_num')::int,"
                    + " pg_catalog.current_setting('server_version'),"
                    + " pg_catalog.current_setting('synchronous_commit'),"
                    + " pg_catalog.pg_is_in_recovery()";

    private static final String MISSING_RIGHTS =
            "SELECT string_agg(DISTINCT c.relname, ', ' ORDER BY c.relname)"
                    + " FROM pg_catalog.pg_class AS c"
                    + " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
                    + " CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p(name)"
                    + " WHERE n.nspname = ? AND c.relkind IN ('r', 'p')"
                    + " AND c.relname <> 'application'"
                    + " AND NOT pg_catalog.has_table_privilege(c.oid, p.name)";

    private final PostgresSettings settings;
    private final SchemaManagement management;
    private final Connector connector;

    /**
     * @param management under {@link SchemaManagement#NONE} the schema's version is not looked at
     */
    public Preflight(PostgresSettings settings, SchemaManagement management) {
        this.settings = settings;
        this.management = management;
        this.connector = new Connector(settings, settings.timeouts().lock());
    }

    /** All that is wrong; none if the store can start. Claims a schema that nobody claimed yet. */
    public List<Problem> problems() {
        List<Problem> problems = new ArrayList<>();
        try (Connection connection = open()) {
            checkServer(connection, problems);
            checkPooler(connection, problems);
            checkSchema(connection, problems);
        } catch (SQLException e) {
            problems.add(problem(e));
        }
        return problems;
    }

    private Problem problem(SQLException e) {
        String sentence = String.valueOf(new SqlErrors(settings).unavailable(e).getMessage());
        return SqlErrors.fault(e) == SqlErrors.Fault.REFUSED
                ? change(sentence)
                : new Problem(Problem.Cure.WAIT, sentence);
    }

    private static void checkServer(Connection connection, List<Problem> problems)
            throws SQLException {
        try (Statement query = connection.createStatement();
                ResultSet row = query.executeQuery(SERVER)) {
            row.next();
            if (row.getInt(1) < OLDEST_SERVER) {
                problems.add(change("Postgres 14 or later is needed, this is " + row.getString(2)));
            }
            if (row.getString(3).equals("off")) {
                problems.add(change(Sentences.SYNCHRONOUS_COMMIT_OFF));
            }
            if (row.getBoolean(4)) {
                problems.add(new Problem(Problem.Cure.WAIT, "the server is a standby"));
            }
        }
    }

    /**
     * A pooler tells its clients a process number of its own. In transaction mode two connections
     * meet at one server process, or one connection comes to another: at the second question where
     * nobody else uses the pool, and after some where others do.
     */
    private void checkPooler(Connection first, List<Problem> problems) throws SQLException {
        int firsts = serverProcess(first);
        if (firsts == first.unwrap(PGConnection.class).getBackendPID()) {
            return;
        }
        try (Connection second = open()) {
            int seconds = serverProcess(second);
            boolean isLent = firsts == seconds;
            for (int looks = 0; looks < LOOKS_FOR_A_POOLER && !isLent; looks++) {
                isLent = serverProcess(first) != firsts || serverProcess(second) != seconds;
            }
            if (isLent) {
                problems.add(change(Sentences.POOLED_TRANSACTIONS));
            }
        }
    }

    /** A connection that prepares nothing: what others have prepared can't come in between. */
    private Connection open() throws SQLException {
        Connection connection = connector.open();
        connection.unwrap(PGConnection.class).setPrepareThreshold(0);
        return connection;
    }

    private static int serverProcess(Connection connection) throws SQLException {
        try (Statement query = connection.createStatement();
                ResultSet row = query.executeQuery("SELECT pg_catalog.pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }

    private void checkSchema(Connection connection, List<Problem> problems) throws SQLException {
        if (management == SchemaManagement.NONE) {
            return;
        }
        InstalledSchema schema = InstalledSchema.read(connection, settings);
        if (schema.version() == Migrations.VERSION && schema.applicationId() == null) {
            InstalledSchema.claim(connection, settings);
            schema = InstalledSchema.read(connection, settings);
        }
        String problem = schema.problem(settings);
        if (problem == null) {
            problem = missingRights(connection);
        }
        if (problem != null) {
            problems.add(change(problem));
        }
    }

    private @Nullable String missingRights(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(MISSING_RIGHTS)) {
            query.setString(1, settings.schema());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                String tables = row.getString(1);
                return tables == null
                        ? null
                        : Sentences.lacksRights(settings) + " (on " + tables + ")";
            }
        }
    }

    private static Problem change(String sentence) {
        return new Problem(Problem.Cure.CHANGE, sentence);
    }
}
