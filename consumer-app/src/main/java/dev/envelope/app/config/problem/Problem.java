package dev.envelope.app.config.problem;

import java.util.List;

/**
 * One thing that is wrong, or doubtful, in a configuration.
 *
 * @param subject the key, with its value where that may be shown; empty for a file as a whole
 * @param message what is wrong, in words that follow the subject
 * @param hints what to do: the nearest right name, the allowed values, an example
 */
public record Problem(
        Severity severity, Origin origin, String subject, String message, List<String> hints) {

    /** Whether the process may start in spite of it. */
    public enum Severity {
        /** Refused. */
        ERROR,
        /** Reported, and accepted. */
        WARNING
    }

    /** Copies the hints. */
    public Problem {
        hints = List.copyOf(hints);
    }

    /** Whether it keeps the process from starting. */
    public boolean isError() {
        return severity == Severity.ERROR;
    }
}
