package dev.envelope.app.config;

import dev.envelope.app.config.problem.ConfigProblems;

/** A configuration was refused. Carries every problem of it. */
public final class InvalidConfigException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient ConfigProblems problems;

    /** Refuses for these problems. */
    public InvalidConfigException(ConfigProblems problems) {
        super(problems.render());
        this.problems = problems;
    }

    /** The problems, in the order of the lines. */
    public ConfigProblems problems() {
        return problems;
    }
}
