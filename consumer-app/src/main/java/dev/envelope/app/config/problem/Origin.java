package dev.envelope.app.config.problem;

import java.util.Comparator;
import java.util.function.Function;

/** Where a value, or a problem, comes from. */
public sealed interface Origin {

    /** Reading order: lines of files, variables, flags, operators, then what was nowhere set. */
    Comparator<Origin> ORDER =
            Comparator.comparingInt(Origin::rank)
                    .thenComparing(Origin::name)
                    .thenComparingInt(Origin::number);

    /** A line of a file, counted from one; line zero stands for the file as a whole. */
    record FileLine(String file, int line) implements Origin {}

    /** A variable of the process's environment. */
    record Environment(String variable) implements Origin {}

    /** The n-th {@code --set} of the command line. */
    record Flag(String key, int position) implements Origin {}

    /** Nowhere: the default of the setting holds. */
    record Unset() implements Origin {}

    /** Somebody who has changed it while the process runs, and from where. */
    record Operator(String by) implements Origin {}

    /** The origin of every value that nobody set. */
    static Origin unset() {
        return new Unset();
    }

    /** Calls the function of this case. */
    default <R> R match(
            Function<FileLine, R> fileLine,
            Function<Environment, R> environment,
            Function<Flag, R> flag,
            Function<Operator, R> operator,
            Function<Unset, R> unset) {
        if (this instanceof FileLine at) {
            return fileLine.apply(at);
        }
        if (this instanceof Environment at) {
            return environment.apply(at);
        }
        if (this instanceof Flag at) {
            return flag.apply(at);
        }
        if (this instanceof Operator at) {
            return operator.apply(at);
        }
        return unset.apply((Unset) this);
    }

    /** The place in the words of a terminal, such as {@code consumer.properties:12}. */
    default String describe() {
        return match(
                at -> at.line() == 0 ? at.file() : at.file() + ":" + at.line(),
                Environment::variable,
                at -> "--set",
                at -> "changed while it ran, by " + at.by(),
                at -> "default");
    }

    /**
     * The place as somebody says it who stands at {@code other}: the file's name is left out there.
     */
    default String describeFrom(Origin other) {
        if (this instanceof FileLine here
                && other instanceof FileLine there
                && here.file().equals(there.file())) {
            return "line " + here.line();
        }
        return describe();
    }

    private int rank() {
        return match(at -> 0, at -> 1, at -> 2, at -> 3, at -> 4);
    }

    private String name() {
        return match(FileLine::file, Environment::variable, at -> "", Operator::by, at -> "");
    }

    private int number() {
        return match(FileLine::line, at -> 0, Flag::position, at -> 0, at -> 0);
    }
}
