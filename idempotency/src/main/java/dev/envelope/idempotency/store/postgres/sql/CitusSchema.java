package dev.envelope.idempotency.store.postgres.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/**
 * A schema that is on a worker of Citus, and is reached through the coordinator.
 *
 * <p>What a session of the coordinator has set does not hold on the worker, and a condition of a
 * write has the start time of the coordinator. So each transaction begins with its settings, and
 * with a look at the worker's start time, on the connection to the worker that its statements use.
 *
 * <p>Numbers come of the coordinator's sequences. It may have lost the last ones in a crash, as it
 * commits after the worker: so each new connection takes some, and all up to the highest that is in
 * use.
 */
public final class CitusSchema {

    /** An SQL expression for whether this database has Citus. */
    static final String IS_CITUS =
            "pg_catalog.to_regclass('pg_catalog.pg_dist_schema') IS NOT NULL";

    private static final int COORDINATOR = 0;

    /**
     * The names of distributed tables are only looked for where they are told of. In a search of
     * {@code pg_class} Citus calls a function of its own for each table that is not ruled out by an
     * index.
     */
    private static final String LOOK =
            "SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_schema WHERE schemaid = n.oid),"
                    + " EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.relnamespace = n.oid"
                    + " AND c.relname = 'application'),"
                    + " (SELECT groupid FROM pg_catalog.pg_dist_local_group),"
                    + " CASE WHEN NOT EXISTS"
                    + " (SELECT FROM pg_catalog.pg_dist_schema WHERE schemaid = n.oid)"
                    + " THEN (SELECT string_agg(c.relname, ', ' ORDER BY c.relname)"
                    + " FROM pg_catalog.pg_dist_partition AS p"
                    + " JOIN pg_catalog.pg_class AS c ON c.oid = p.logicalrelid"
                    + " WHERE c.relnamespace = n.oid"
                    + " AND (p.partmethod <> 'n' OR p.repmodel = 't' OR p.colocationid <> 0)) END"
                    + " FROM pg_catalog.pg_namespace AS n WHERE n.nspname = ?";

    /**
     * The owner of Citus, if that is somebody else and the schema is or will be on a worker. Its
     * sequences are made there by a session of the owner: it does not see a schema of another
     * role's transaction.
     */
    private static final String OTHER_OWNER =
            "SELECT pg_catalog.pg_get_userbyid(e.extowner), current_user"
                    + " FROM pg_catalog.pg_extension AS e WHERE e.extname = 'citus'"
                    + " AND pg_catalog.pg_get_userbyid(e.extowner) <> current_user"
                    + " AND (EXISTS (SELECT FROM pg_catalog.pg_dist_schema AS d"
                    + " JOIN pg_catalog.pg_namespace AS n ON n.oid = d.schemaid WHERE n.nspname = ?)"
                    + " OR (pg_catalog.current_setting('citus.enable_schema_based_sharding', true)"
                    + " = 'on' AND pg_catalog.to_regnamespace(pg_catalog.quote_ident(?)) IS NULL))";

    private static final String SET_UP =
            "SELECT pg_catalog.set_config('citus.propagate_set_commands', 'local', false)"
                    // Citus can plan no statement whose parameters are not known.
                    + ", pg_catalog.set_config('plan_cache_mode', 'force_custom_plan', false)";

    /**
     * Timeouts, the plans that a server with the rows has (see {@link Connector}), and its start.
     */
    private static final String BEGIN =
            "SET LOCAL lock_timeout = %d; SET LOCAL statement_timeout = %d;"
                    + " SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;"
                    + " SET LOCAL enable_seqscan = off; SELECT "
                    + ServerLife.START_MICROS
                    + " FROM %s.application";

    /** Evaluated on the worker, since it reads a table. */
    private static final String WORKER =
            "SELECT "
                    + ServerLife.START_MICROS
                    + ", pg_catalog.pg_is_in_recovery()"
                    + ", pg_catalog.current_setting('synchronous_commit') FROM %s.application";

    private static final String HIGHEST =
            "SELECT coalesce((SELECT max(position) FROM %1$s.parked), 0),"
                    + " coalesce((SELECT max(position) FROM %1$s.outbox), 0),"
                    + " coalesce((SELECT max(o.position) FROM %1$s.relay AS r CROSS JOIN LATERAL"
                    + " (SELECT position FROM %1$s.output WHERE relay = r.number"
                    + " ORDER BY position DESC LIMIT 1) AS o), 0)";

    /** A sequence may have lost the 32 numbers that it logs ahead. */
    private static final String LIFT =
            "SELECT count(pg_catalog.nextval('%1$s.%2$s')) FROM pg_catalog.generate_series(1, 33"
                    + " + greatest(0, ? - coalesce(pg_catalog.pg_sequence_last_value('%1$s.%2$s'), 0)))";

    private static final List<String> SEQUENCES =
            List.of("parked_position_seq", "outbox_position_seq", "output_position");

    /** Where the schema is. */
    public enum Place {
        /** Not made yet. */
        NOWHERE,
        ON_THIS_SERVER,
        ON_A_WORKER
    }

    private CitusSchema() {}

    /** Whether this database has Citus. */
    public static boolean isCitus(Connection connection) throws SQLException {
        try (Statement query = connection.createStatement();
                ResultSet row = query.executeQuery("SELECT " + IS_CITUS)) {
            row.next();
            return row.getBoolean(1);
        }
    }

    /**
     * Where the schema is, in a database with Citus.
     *
     * @throws RefusedSqlException if it can't be used as it is
     */
    public static Place find(Connection connection, PostgresSettings settings) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(LOOK)) {
            query.setString(1, settings.schema());
            try (ResultSet row = query.executeQuery()) {
                if (!row.next() || !row.getBoolean(2)) {
                    return Place.NOWHERE;
                }
                if (row.getBoolean(1)) {
                    if (row.getInt(3) != COORDINATOR) {
                        throw new RefusedSqlException(Sentences.notTheCoordinator(settings));
                    }
                    return Place.ON_A_WORKER;
                }
                if (row.getString(4) != null) {
                    throw new RefusedSqlException(
                            Sentences.distributedTables(settings, row.getString(4)));
                }
                return Place.ON_THIS_SERVER;
            }
        }
    }

    /**
     * Checks that this role can make tables there, in a database with Citus.
     *
     * @throws RefusedSqlException if they can't be used as they are, or another role has to make
     *     them
     */
    public static void requireMayMake(Connection connection, PostgresSettings settings)
            throws SQLException {
        find(connection, settings);
        try (PreparedStatement query = connection.prepareStatement(OTHER_OWNER)) {
            query.setString(1, settings.schema());
            query.setString(2, settings.schema());
            try (ResultSet row = query.executeQuery()) {
                if (row.next()) {
                    throw new RefusedSqlException(
                            Sentences.notTheOwnerOfCitus(row.getString(1), row.getString(2)));
                }
            }
        }
    }

    /** Sets up a session in a database with Citus; returns its life. */
    static ServerLife setUp(Connection connection, PostgresSettings settings, ServerLife server)
            throws SQLException {
        switch (find(connection, settings)) {
            case NOWHERE ->
                    throw new SQLException(
                            "schema " + settings.schema() + " is not there yet", "3F000");
            case ON_THIS_SERVER -> {
                return server;
            }
            case ON_A_WORKER -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(SET_UP);
                }
                lift(new Statements(connection, settings.quotedSchema()));
            }
        }
        return new ServerLife(
                server.systemIdentifier(),
                server.startMicros(),
                startOfWorker(connection, settings));
    }

    private static void lift(Statements statements) throws SQLException {
        List<Long> highest =
                statements.one(
                        HIGHEST, row -> List.of(row.getLong(1), row.getLong(2), row.getLong(3)));
        for (int i = 0; i < highest.size(); i++) {
            statements.one(LIFT.formatted("%1$s", SEQUENCES.get(i)), row -> true, highest.get(i));
        }
    }

    /**
     * The start time of the worker that has the schema.
     *
     * @throws SQLException if it must not be written to
     */
    public static long startOfWorker(Connection connection, PostgresSettings settings)
            throws SQLException {
        try {
            return start(connection, settings);
        } catch (SQLException e) {
            if (SqlErrors.isUndefined(e)) { // whoever makes it commits there last
                throw new SQLException("the worker does not have the schema yet", "08000");
            }
            throw e;
        }
    }

    private static long start(Connection connection, PostgresSettings settings)
            throws SQLException {
        try (Statement query = connection.createStatement();
                ResultSet row = query.executeQuery(WORKER.formatted(settings.quotedSchema()))) {
            if (!row.next()) {
                throw new SQLException("schema " + settings.schema() + " is empty", "3F000");
            }
            if (row.getBoolean(2)) {
                throw new SQLException("the worker is a standby", "25006");
            }
            if (row.getString(3).equals("off")) {
                throw new RefusedSqlException(Sentences.SYNCHRONOUS_COMMIT_OFF);
            }
            return row.getLong(1);
        }
    }

    /** Begins a transaction: its settings, then a look at the worker. */
    static void begin(
            Connection connection, ServerLife life, PostgresSettings settings, Duration lock)
            throws SQLException {
        connection.setAutoCommit(false);
        String sql =
                BEGIN.formatted(
                        lock.toMillis(),
                        settings.timeouts().statement().toMillis(),
                        settings.quotedSchema());
        try (Statement statement = connection.createStatement()) {
            boolean isResult = statement.execute(sql);
            while (!isResult) {
                isResult = statement.getMoreResults();
            }
            try (ResultSet row = statement.getResultSet()) {
                row.next();
                life.require(row.getLong(1));
            }
        }
    }
}
