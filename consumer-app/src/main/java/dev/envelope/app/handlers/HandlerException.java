package dev.envelope.app.handlers;

import dev.envelope.idempotency.json.Brief;
import java.util.List;

/** The settings name no handler that can run. Carries every problem, each in one line. */
public final class HandlerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    /**
     * One mistake.
     *
     * @param setting the key in the properties file
     * @param message what is wrong and how to correct it
     */
    public record Problem(String setting, String message) {

        public Problem {
            message = Brief.text(message);
        }

        @Override
        public String toString() {
            return setting + ": " + message;
        }
    }

    public HandlerException(List<Problem> problems) {
        super(String.join("; ", problems.stream().map(Problem::toString).toList()));
        this.problems = List.copyOf(problems);
    }

    public static HandlerException of(String setting, String message) {
        return new HandlerException(List.of(new Problem(setting, message)));
    }

    public List<Problem> problems() {
        return problems;
    }
}
