package dev.envelope.idempotency.store.postgres.schema;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.postgres.sql.CitusSchema;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Migrates the schema to the version that this program works with, in one transaction. If several
 * instances start together, one migrates and the others wait.
 */
public final class Migrator {

    /** The version of the tables that this program works with. */
    public static final int PROGRAM = Migrations.VERSION;

    private static final Logger log = LoggerFactory.getLogger(Migrator.class);

    private final PostgresSettings worker;
    private final PostgresSettings owner;
    private final boolean separateOwner;

    /**
     * @param settings of the worker
     * @param owner the role that owns the schema; null if that is the worker
     */
    public Migrator(PostgresSettings settings, PostgresSettings.@Nullable Login owner) {
        this.worker = settings;
        this.owner = owner == null ? settings : settings.withLogin(owner);
        this.separateOwner = owner != null && !owner.user().equals(settings.login().user());
    }

    /**
     * Migrates. Does nothing if the schema has our version and the worker is its owner, or if it
     * has a newer version that this program may run on.
     *
     * @throws RefusedException if a right is missing, or the schema belongs to another application
     *     or has a newer version that this program must not run on
     * @throws UnavailableException if the database can't be reached
     */
    public void migrate() {
        migrate(false);
    }

    private void migrate(boolean isThere) {
        SqlErrors errors = new SqlErrors(owner);
        try (Connection connection = new Connector(owner, worker.timeouts().lock()).open()) {
            connection.setAutoCommit(false);
            InstalledSchema before = InstalledSchema.read(connection, owner);
            if (isDone(before)) {
                requireOurs(before);
                if (before.isNewer()) {
                    log.info(SchemaSentences.newerButOurs(owner, before));
                }
                return;
            }
            migrate(connection, isThere);
            connection.commit();
        } catch (SQLException e) {
            throw errors.unavailable(e);
        }
    }

    /**
     * Tries whether {@link #migrate} would succeed if there are no tables yet, and rolls back.
     * Tables of an older version are not touched, since they may be large and in use.
     *
     * @return whether there is nothing left to migrate
     * @throws RefusedException as {@link #migrate}
     * @throws UnavailableException as {@link #migrate}
     */
    public boolean rehearse() {
        try (Connection connection = new Connector(owner, worker.timeouts().lock()).open()) {
            connection.setAutoCommit(false);
            InstalledSchema before = InstalledSchema.read(connection, owner);
            if (isDone(before)) {
                return true;
            }
            if (before.version() == 0) {
                migrate(connection, false);
                connection.rollback();
            }
            return false;
        } catch (SQLException e) {
            throw new SqlErrors(owner).unavailable(e);
        }
    }

    /**
     * Migrates if there are tables. A slot's schema may just have got another name, and no empty
     * one takes its place.
     *
     * @throws UnavailableException if there are none, or as {@link #migrate}
     */
    public void migrateExisting() {
        migrate(true);
    }

    /** Makes the tables in a transaction of the caller, whose connection is the owner's. */
    public void make(Connection connection) throws SQLException {
        migrate(connection, false);
    }

    /**
     * Why the rows of this schema can't be copied into one that this program makes; empty if they
     * can.
     *
     * @param name that it has at present
     */
    public Optional<String> obstacle(Connection connection, String name) throws SQLException {
        PostgresSettings its = owner.withSchema(name);
        InstalledSchema installed = InstalledSchema.read(connection, its);
        if (CitusSchema.isCitus(connection)) {
            return Optional.of("slots of Citus are moved by Citus itself");
        } else if (installed.isNewer()) {
            return Optional.of(SchemaSentences.newerButOurs(its, installed));
        }
        return Optional.ofNullable(installed.problem(its));
    }

    /** The tables that a schema has. */
    public static List<String> tables() {
        List<String> tables = new ArrayList<>(Migrations.TABLES);
        tables.add("application");
        return tables;
    }

    private boolean isDone(InstalledSchema before) {
        return before.applicationId() != null
                && (before.isNewer() || (before.version() == Migrations.VERSION && !separateOwner));
    }

    /** All that {@link #migrate} does on an empty database, as SQL for psql or a tool. */
    public String script() {
        StringBuilder script = new StringBuilder();
        Migrations.after(0, worker).forEach(sql -> script.append(sql.strip()).append("\n\n"));
        if (separateOwner) {
            script.append(Migrations.workerRights(worker).strip()).append('\n');
        }
        return script.toString().stripTrailing() + "\n";
    }

    private void migrate(Connection connection, boolean isThere) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "SET LOCAL statement_timeout = " + worker.timeouts().statement().toMillis());
            statement.execute(
                    "SELECT pg_catalog.pg_advisory_xact_lock("
                            + "pg_catalog.hashtextextended('envelope "
                            + worker.schema()
                            + "', 0))");
            statement.execute("SET LOCAL statement_timeout = 0");
            statement.execute("SET LOCAL synchronous_commit = on");
            InstalledSchema now = InstalledSchema.read(connection, owner);
            if (now.isNewer() || !now.readable()) {
                requireOurs(now);
            }
            if (isThere && now.version() == 0) {
                throw new UnavailableException(
                        "the schema " + worker.schema() + " is not there any more");
            }
            boolean isCitus = CitusSchema.isCitus(connection);
            if (isCitus) {
                CitusSchema.requireMayMake(connection, owner);
            }
            for (String sql : Migrations.after(now.version(), worker)) {
                statement.execute(isCitus ? Migrations.forCitus(sql) : sql);
            }
            InstalledSchema.claim(connection, worker);
            requireOurs(InstalledSchema.read(connection, owner));
            if (separateOwner) {
                statement.execute(Migrations.workerRights(worker));
            }
        }
    }

    private void requireOurs(InstalledSchema schema) {
        String problem = schema.problem(owner);
        if (problem != null) {
            throw new RefusedException(problem);
        }
    }
}
