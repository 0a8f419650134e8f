package dev.envelope.app.config.problem;

import java.util.Comparator;
import java.util.List;

/** Where a value, or a problem, comes from. */
public sealed interface Origin {

    /** Reading order: lines of files, variables, flags, operators, then defaults. */
    Comparator<Origin> ORDER =
            Comparator.comparingInt(Origin::rank)
                    .thenComparing(Origin::name)
                    .thenComparingInt(Origin::number);

    /** The place as it is printed, such as {@code consumer.properties:12}. */
    String describe();

    /** A line of a file, counted from one; line zero stands for the file as a whole. */
    record FileLine(String file, int line) implements Origin {
        @Override
        public String describe() {
            return line == 0 ? file : file + ":" + line;
        }
    }

    /** A variable of the process's environment. */
    record Environment(String variable) implements Origin {
        @Override
        public String describe() {
            return variable;
        }
    }

    /** The n-th {@code --set} of the command line. */
    record Flag(String key, int position) implements Origin {
        @Override
        public String describe() {
            return "--set";
        }
    }

    /** A change while the process runs: who made it, and from where. */
    record Operator(String by) implements Origin {
        @Override
        public String describe() {
            return "changed while it ran, by " + by;
        }
    }

    /** Not set: the default applies. */
    record Unset() implements Origin {
        @Override
        public String describe() {
            return "default";
        }
    }

    /** The origin of every default. */
    static Origin unset() {
        return new Unset();
    }

    /** The place as printed beside {@code other}: in the same file, only the line. */
    default String describeFrom(Origin other) {
        return this instanceof FileLine here
                        && other instanceof FileLine there
                        && here.file().equals(there.file())
                ? "line " + here.line()
                : describe();
    }

    private int rank() {
        return List.of(FileLine.class, Environment.class, Flag.class, Operator.class, Unset.class)
                .indexOf(getClass());
    }

    private String name() {
        return this instanceof FileLine at ? at.file() : describe();
    }

    private int number() {
        if (this instanceof FileLine at) {
            return at.line();
        }
        return this instanceof Flag at ? at.position() : 0;
    }
}
