package dev.envelope.app.database;

import dev.envelope.app.start.ServerCheck;
import dev.envelope.app.start.Verdict;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.SchemaManagement;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.schema.Preflight;
import dev.envelope.idempotency.store.postgres.schema.Problem;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Whether the database can be used, and has our tables; brings them up to date where that is ours
 * to do.
 *
 * <p>Threads: one look at a time.
 */
final class PostgresCheck implements ServerCheck {

    private final Preflight preflight;

    /** Whether the tables have to be there after it. */
    private final BooleanSupplier migration;

    private final Runnable claim;

    private PostgresCheck(Preflight preflight, BooleanSupplier migration, Runnable claim) {
        this.preflight = preflight;
        this.migration = migration;
        this.claim = claim;
    }

    /**
     * The check of a start, which may make the tables.
     *
     * @param claim writes down that this process runs, and refuses where another does in its name
     */
    static PostgresCheck beforeStart(
            PostgresSettings settings,
            SchemaManagement management,
            Migrator migrator,
            Runnable claim) {
        return new PostgresCheck(
                new Preflight(settings, management),
                management == SchemaManagement.AUTO ? migrated(migrator) : () -> true,
                claim);
    }

    /** The check of somebody who only asks: what a start would make is made, and taken back. */
    static PostgresCheck asking(
            PostgresSettings settings, SchemaManagement management, Migrator migrator) {
        return new PostgresCheck(
                new Preflight(settings, management),
                management == SchemaManagement.AUTO ? migrator::rehearse : () -> true,
                () -> {});
    }

    /** The check before a migration that somebody has asked for. */
    static PostgresCheck beforeMigration(PostgresSettings settings, Migrator migrator) {
        return new PostgresCheck(
                new Preflight(settings, SchemaManagement.VALIDATE), migrated(migrator), () -> {});
    }

    private static BooleanSupplier migrated(Migrator migrator) {
        return () -> {
            migrator.migrate();
            return true;
        };
    }

    @Override
    public String name() {
        return "the database";
    }

    @Override
    public Verdict look() {
        List<Problem> server = preflight.problemsOfServer();
        if (!server.isEmpty()) {
            return verdict(server);
        }
        try {
            if (!migration.getAsBoolean()) {
                return new Verdict.Ready();
            }
            List<Problem> schema = preflight.problems();
            if (schema.isEmpty()) {
                claim.run();
            }
            return verdict(schema);
        } catch (RefusedException e) {
            return new Verdict.Refused(List.of(String.valueOf(e.getMessage())));
        } catch (UnavailableException e) {
            return new Verdict.Waiting(String.valueOf(e.getMessage()));
        }
    }

    private static Verdict verdict(List<Problem> problems) {
        List<String> changes = sentences(problems, Problem.Cure.CHANGE);
        if (!changes.isEmpty()) {
            return new Verdict.Refused(changes);
        }
        return problems.isEmpty()
                ? new Verdict.Ready()
                : new Verdict.Waiting(String.join("; ", sentences(problems, Problem.Cure.WAIT)));
    }

    private static List<String> sentences(List<Problem> problems, Problem.Cure cure) {
        return problems.stream()
                .filter(problem -> problem.cure() == cure)
                .map(Problem::sentence)
                .toList();
    }
}
