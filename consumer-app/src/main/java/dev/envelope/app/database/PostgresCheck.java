package dev.envelope.app.database;

import dev.envelope.app.start.DatabaseCheck;
import dev.envelope.app.start.Verdict;
import dev.envelope.idempotency.store.postgres.schema.Preflight;
import dev.envelope.idempotency.store.postgres.schema.Problem;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Checks whether the database can be used and has our tables; migrates them first, where settings
 * allow it.
 *
 * @param migration returns whether the tables must exist afterwards
 * @param claim records that this process runs, and refuses if another runs under its name
 */
record PostgresCheck(Preflight preflight, BooleanSupplier migration, Runnable claim)
        implements DatabaseCheck {

    @Override
    public Verdict ask() {
        List<Problem> server = preflight.problemsOfServer();
        if (!server.isEmpty()) {
            return verdict(server);
        }
        if (!migration.getAsBoolean()) {
            return new Verdict.Ready();
        }
        List<Problem> schema = preflight.problems();
        if (schema.isEmpty()) {
            claim.run();
        }
        return verdict(schema);
    }

    static Verdict verdict(List<Problem> problems) {
        List<String> waiting = sentences(problems, Problem.Cure.WAIT);
        Verdict verdict = Verdict.refusing(sentences(problems, Problem.Cure.CHANGE));
        return verdict instanceof Verdict.Ready && !waiting.isEmpty()
                ? new Verdict.Waiting(String.join("; ", waiting))
                : verdict;
    }

    private static List<String> sentences(List<Problem> problems, Problem.Cure cure) {
        return problems.stream()
                .filter(problem -> problem.cure() == cure)
                .map(Problem::sentence)
                .toList();
    }
}
