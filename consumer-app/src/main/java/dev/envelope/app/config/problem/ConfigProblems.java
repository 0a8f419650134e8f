package dev.envelope.app.config.problem;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All problems of a configuration, in the order of its lines. */
public record ConfigProblems(List<Problem> all) {

    private static final String INDENT = "    ";

    /** Copies the list. */
    public ConfigProblems {
        all = List.copyOf(all);
    }

    static ConfigProblems of(List<Problem> problems) {
        Comparator<Problem> order = Comparator.comparing(Problem::origin, Origin.ORDER);
        return new ConfigProblems(problems.stream().sorted(order).toList());
    }

    /** Those that keep the process from starting. */
    public List<Problem> errors() {
        return all.stream().filter(Problem::isError).toList();
    }

    /** Those that are only reported. */
    public List<Problem> warnings() {
        return all.stream().filter(problem -> !problem.isError()).toList();
    }

    /** Whether the process must not start. */
    public boolean refused() {
        return all.stream().anyMatch(Problem::isError);
    }

    /** The text for a terminal: errors first, then warnings, each with place, key and hint. */
    public String render() {
        StringBuilder out = new StringBuilder();
        section(out, "The configuration was refused: ", errors(), "problem");
        section(out, "", warnings(), "warning");
        return out.toString();
    }

    private static void section(
            StringBuilder out, String lead, List<Problem> problems, String what) {
        if (problems.isEmpty()) {
            return;
        }
        out.append(out.isEmpty() ? "" : "\n").append(lead).append(problems.size());
        out.append(' ').append(what).append(problems.size() == 1 ? "" : "s").append(".\n");
        problems.forEach(problem -> render(out, problem));
    }

    private static void render(StringBuilder out, Problem problem) {
        boolean isSomewhere = !problem.origin().equals(Origin.unset());
        String heading =
                Stream.of(isSomewhere ? problem.origin().describe() : "", problem.subject())
                        .filter(part -> !part.isEmpty())
                        .collect(Collectors.joining("  "));
        out.append('\n').append(heading).append('\n');
        out.append(Visible.wrapped(problem.message(), INDENT, INDENT));
        problem.hints()
                .forEach(hint -> out.append(Visible.wrapped("-> " + hint, INDENT, INDENT + "   ")));
    }
}
