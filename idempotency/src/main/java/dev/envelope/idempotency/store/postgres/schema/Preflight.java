package dev.envelope.idempotency.store.postgres.schema;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.SchemaManagement;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.CitusSchema;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.Sentences;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checks before a start. Without them, workers would find the problems later, one by one.
 *
 * <p>Threads: immutable.
 */
public final class Preflight {

    private static final Logger log = LoggerFactory.getLogger(Preflight.class);

    private static final int OLDEST_SERVER = 140_000;
    private static final int LOOKS_FOR_A_POOLER = 50;

    private static final String SERVER =
            "SELECT pg_catalog.current_setting('server_version_num')::int,"
                    + " pg_catalog.current_setting('server_version'),"
                    + " pg_catalog.current_setting('synchronous_commit'),"
                    + " pg_catalog.pg_is_in_recovery()";

    private static final String TABLES =
            "SELECT string_agg(t.name, ', ' ORDER BY t.name) FILTER (WHERE c.oid IS NULL),"
                    + " string_agg(t.name, ', ' ORDER BY t.name) FILTER (WHERE NOT ("
                    + "has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')"
                    + " AND has_table_privilege(c.oid, 'UPDATE')"
                    + " AND has_table_privilege(c.oid, 'DELETE')))"
                    + " FROM unnest(?::text[]) AS t(name)"
                    + " LEFT JOIN (pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n"
                    + " ON n.oid = c.relnamespace AND n.nspname = ?) ON c.relname = t.name";

    private static final String OUTPUT_POSITION = "output_position";

    private static final String SEQUENCE =
            "SELECT s.seqcache, has_sequence_privilege(s.seqrelid, 'USAGE')"
                    + " FROM pg_catalog.pg_sequence AS s"
                    + " JOIN pg_catalog.pg_class AS c ON c.oid = s.seqrelid"
                    + " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
                    + " WHERE n.nspname = ? AND c.relname = ?";

    private final PostgresSettings settings;
    private final SchemaManagement management;
    private final Connector connector;

    /**
     * @param management with {@link SchemaManagement#NONE}, of the schema only the existence of its
     *     tables is checked
     */
    public Preflight(PostgresSettings settings, SchemaManagement management) {
        this.settings = settings;
        this.management = management;
        this.connector = new Connector(settings, settings.timeouts().lock());
    }

    /**
     * All problems; empty if the store can start. Claims a schema that no application has claimed.
     */
    public List<Problem> problems() {
        return problems(this::checkAll);
    }

    /** The problems of the server alone, without the schema. */
    public List<Problem> problemsOfServer() {
        return problems(this::checkServer);
    }

    /**
     * Whether no topic was ever read into this schema.
     *
     * @throws UnavailableException if the database can't be used
     */
    public boolean isUnused() {
        String table = settings.quotedSchema() + ".source";
        try (Connection connection = connector.open();
                Statement query = connection.createStatement()) {
            boolean isThere;
            try (ResultSet row =
                    query.executeQuery("SELECT to_regclass('" + table + "') IS NOT NULL")) {
                row.next();
                isThere = row.getBoolean(1);
            }
            if (!isThere) {
                return true;
            }
            try (ResultSet row =
                    query.executeQuery("SELECT NOT EXISTS (SELECT FROM " + table + ")")) {
                row.next();
                return row.getBoolean(1);
            }
        } catch (SQLException e) {
            if (SqlErrors.isUndefined(e)) { // a worker of Citus does not have it yet
                return true;
            }
            throw new SqlErrors(settings).unavailable(e);
        }
    }

    private List<Problem> problems(Check check) {
        List<Problem> problems = new ArrayList<>();
        try (Connection connection = open()) {
            check.find(connection, problems);
        } catch (SQLException e) {
            problems.add(problem(e));
        }
        return problems;
    }

    /** Looks for problems and adds them. */
    private interface Check {
        void find(Connection connection, List<Problem> problems) throws SQLException;
    }

    private void checkAll(Connection connection, List<Problem> problems) throws SQLException {
        checkServer(connection, problems);
        checkSchema(connection, problems);
    }

    /**
     * Whether the schema is on a worker of Citus.
     *
     * @throws UnavailableException if the database can't be used
     */
    public boolean isOnWorker() {
        try (Connection connection = connector.open()) {
            return CitusSchema.isCitus(connection)
                    && CitusSchema.find(connection, settings) == CitusSchema.Place.ON_A_WORKER;
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }

    /** Of Citus, the server is also the worker that has the schema. */
    private void checkServer(Connection connection, List<Problem> problems) throws SQLException {
        checkSettings(connection, problems);
        checkPooler(connection, problems);
        if (CitusSchema.isCitus(connection)
                && CitusSchema.find(connection, settings) == CitusSchema.Place.ON_A_WORKER) {
            CitusSchema.startOfWorker(connection, settings);
        }
    }

    private Problem problem(SQLException e) {
        String sentence = String.valueOf(new SqlErrors(settings).unavailable(e).getMessage());
        return SqlErrors.fault(e) == SqlErrors.Fault.REFUSED
                ? change(sentence)
                : new Problem(Problem.Cure.WAIT, sentence);
    }

    private static void checkSettings(Connection connection, List<Problem> problems)
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
     * Finds a pooler in transaction mode. A pooler reports a backend process id of its own to its
     * clients. In transaction mode, two connections get the same server process, or one connection
     * gets another one: at the second query if the pool has no other clients, otherwise after some
     * queries.
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

    /**
     * A connection without server-side prepared statements, which could clash with those of other
     * clients.
     */
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
        String problem = management == SchemaManagement.NONE ? null : refusal(connection);
        if (problem == null) {
            problem = missing(connection);
        }
        if (problem == null) {
            problem = unfitSequence(connection);
        }
        if (problem != null) {
            problems.add(change(problem));
        }
    }

    /** Why the schema is not for this program and application; null if it is. */
    private @Nullable String refusal(Connection connection) throws SQLException {
        InstalledSchema schema = InstalledSchema.read(connection, settings);
        if (schema.applicationId() == null && schema.problem(settings) == null) {
            InstalledSchema.claim(connection, settings);
            schema = InstalledSchema.read(connection, settings);
        }
        String problem = schema.problem(settings);
        if (problem == null && schema.isNewer() && management == SchemaManagement.VALIDATE) {
            log.info(
                    SchemaSentences.newerButOurs(
                            settings, schema)); // otherwise the migrator has logged it
        }
        return problem;
    }

    /** Which tables, or rights on them, are missing; null if none. */
    private @Nullable String missing(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(TABLES)) {
            query.setObject(1, BinaryArray.ofTexts(Migrations.TABLES, table -> table));
            query.setString(2, settings.schema());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                if (row.getString(1) != null) {
                    return Sentences.noSchema(settings) + " (without " + row.getString(1) + ")";
                }
                return management == SchemaManagement.NONE || row.getString(2) == null
                        ? null
                        : Sentences.lacksRights(settings) + " (on " + row.getString(2) + ")";
            }
        }
    }

    /** What is wrong with the sequence that orders the outputs of a key; null if nothing. */
    private @Nullable String unfitSequence(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(SEQUENCE)) {
            query.setString(1, settings.schema());
            query.setString(2, OUTPUT_POSITION);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    return Sentences.noSchema(settings) + " (without " + OUTPUT_POSITION + ")";
                }
                if (row.getLong(1) != 1) {
                    return SchemaSentences.takesPositionsAhead(settings, OUTPUT_POSITION);
                }
                return management == SchemaManagement.NONE || row.getBoolean(2)
                        ? null
                        : Sentences.lacksRights(settings) + " (on " + OUTPUT_POSITION + ")";
            }
        }
    }

    private static Problem change(String sentence) {
        return new Problem(Problem.Cure.CHANGE, sentence);
    }
}
