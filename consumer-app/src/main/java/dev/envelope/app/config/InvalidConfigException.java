package dev.envelope.app.config;

import dev.envelope.app.config.problem.ConfigProblems;

/** Says that a configuration was refused, with all that is wrong with it. */
public final class InvalidConfigException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient ConfigProblems problems;

    /** Refuses for these problems. */
    public InvalidConfigException(ConfigProblems problems) {
        super(problems.render());
        this.problems = problems;
    }

    /** What is wrong, in the order of the lines. */
    public ConfigProblems problems() {
        return problems;
    }
}
