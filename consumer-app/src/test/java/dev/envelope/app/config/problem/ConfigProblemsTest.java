package dev.envelope.app.config.problem;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConfigProblemsTest {

    private final ProblemCollector problems = new ProblemCollector();

    @Test
    void linesComeFirstInTheirOrderThenVariablesThenFlagsThenWhatIsMissing() {
        problems.error(Origin.unset(), "missing", "m");
        problems.error(new Origin.Flag("a", 2), "flag two", "m");
        problems.error(new Origin.Flag("b", 1), "flag one", "m");
        problems.error(new Origin.Environment("V"), "variable", "m");
        problems.error(new Origin.FileLine("f", 10), "line ten", "m");
        problems.error(new Origin.FileLine("f", 9), "line nine", "m");
        assertThat(problems.problems().all())
                .extracting(Problem::subject)
                .containsExactly(
                        "line nine", "line ten", "variable", "flag one", "flag two", "missing");
    }

    @Test
    void warningsAloneRefuseNothing() {
        problems.warning(Origin.unset(), "key", "is odd");
        assertThat(problems.problems().refused()).isFalse();
        assertThat(problems.problems().render()).isEqualTo("1 warning.\n\nkey\n    is odd\n");
    }

    @Test
    void noProblemsAreNoText() {
        assertThat(problems.problems().render()).isEmpty();
    }

    @Test
    void longMessagesAreWrappedBetweenWords() {
        problems.error(
                Origin.unset(), "key", "word ".repeat(40).strip(), "hint ".repeat(40).strip());
        assertThat(problems.problems().render().lines()).allMatch(line -> line.length() <= 96);
    }
}
