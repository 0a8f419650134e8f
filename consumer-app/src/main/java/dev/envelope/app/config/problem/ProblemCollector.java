package dev.envelope.app.config.problem;

import dev.envelope.app.config.problem.Problem.Severity;
import java.util.ArrayList;
import java.util.List;

/**
 * Gathers problems while a configuration is read, so that all of them are reported at once.
 *
 * <p>Threads: one thread, the one that loads.
 */
public final class ProblemCollector {

    private final List<Problem> problems = new ArrayList<>();

    /** Adds a problem that keeps the process from starting. */
    public void error(Origin origin, String subject, String message, String... hints) {
        add(Severity.ERROR, origin, subject, message, hints);
    }

    /** Adds a problem that is only reported. */
    public void warning(Origin origin, String subject, String message, String... hints) {
        add(Severity.WARNING, origin, subject, message, hints);
    }

    /** What has been found so far, in reading order. */
    public ConfigProblems problems() {
        return ConfigProblems.of(problems);
    }

    private void add(
            Severity severity, Origin origin, String subject, String message, String... hints) {
        problems.add(new Problem(severity, origin, subject, message, List.of(hints)));
    }
}
