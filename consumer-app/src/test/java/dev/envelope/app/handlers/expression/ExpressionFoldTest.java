package dev.envelope.app.handlers.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.app.handlers.FoldRunner;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.UnreadableStateException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExpressionFoldTest {

    private static final String MAX = "9223372036854775807";

    private static String fold(String expression, String... documents) {
        return FoldRunner.ofExpressions("x", expression).fold(documents).saved();
    }

    @Test
    void sumsExactly() {
        assertThat(fold("sum(/a)", "{\"a\":0.1}", "{\"a\":0.2}")).isEqualTo("{\"x\":0.3}");
        assertThat(fold("sum(/a)", "{\"a\":1.5}", "{\"a\":1.5}")).isEqualTo("{\"x\":3}");
        assertThat(fold("sum(/a)", "{\"a\":2}", "{\"a\":-5}")).isEqualTo("{\"x\":-3}");
        assertThat(fold("sum(/a)", "{\"a\":1E+2}", "{\"a\":-0.0}")).isEqualTo("{\"x\":100}");
    }

    @Test
    void growsBeyondALongAndComesBack() {
        String beyond = "{\"x\":9223372036854775808}";
        assertThat(fold("sum(/a)", "{\"a\":" + MAX + "}", "{\"a\":1}")).isEqualTo(beyond);
        assertThat(fold("sum(/a)", "{\"a\":9223372036854775808}")).isEqualTo(beyond);
        assertThat(fold("sum(/a)", "{\"a\":-" + MAX + "}", "{\"a\":-2}"))
                .isEqualTo("{\"x\":-9223372036854775809}");
        assertThat(FoldRunner.ofExpressions("x", "sum(/a)").load(beyond).fold("{\"a\":-1}").saved())
                .isEqualTo("{\"x\":" + MAX + "}");
        assertThat(fold("sum(/a)", "{\"a\":-9223372036854775808}"))
                .isEqualTo("{\"x\":-9223372036854775808}");
    }

    @Test
    void countsMessagesOrThoseWithThePointer() {
        String[] documents = {"{\"a\":1}", "{\"a\":null}", "{}", "{\"a\":[]}", "{\"a\":\"t\"}"};
        assertThat(fold("count()", documents)).isEqualTo("{\"x\":5}");
        assertThat(fold("count(/a)", documents)).isEqualTo("{\"x\":3}");
    }

    @Test
    void findsTheLeastAndTheGreatest() {
        String[] documents = {"{\"a\":2}", "{\"a\":1.5}", "{\"a\":-1}", "{\"a\":1e30}", "{}"};
        assertThat(fold("min(/a)", documents)).isEqualTo("{\"x\":-1}");
        assertThat(fold("max(/a)", documents)).isEqualTo("{\"x\":1E+30}");
        assertThat(fold("max(/a)", "{\"a\":3}", "{\"a\":3.5}", "{\"a\":4}", "{\"a\":2}"))
                .isEqualTo("{\"x\":4}");
        assertThat(fold("min(/a)", "{}")).isEqualTo("{\"x\":null}");
    }

    @Test
    void averagesFromTheExactSum() {
        assertThat(fold("avg(/a)", "{\"a\":1}", "{\"a\":2}"))
                .isEqualTo("{\"x\":1.5,\"$\":{\"x\":[3,2]}}");
        assertThat(fold("avg(/a)", "{\"a\":1}", "{\"a\":0}", "{\"a\":0}", "{}"))
                .isEqualTo("{\"x\":0.3333333333333333333333333333333333,\"$\":{\"x\":[1,3]}}");
        assertThat(fold("avg(/a)", "{}")).isEqualTo("{\"x\":null}");
    }

    @Test
    void keepsTheFirstAndTheLast() {
        String[] documents = {
            "{\"a\":null}", "{\"a\":\"one\"}", "{\"a\":true}", "{\"a\":1.50}", "{}"
        };
        assertThat(fold("first(/a)", documents)).isEqualTo("{\"x\":\"one\"}");
        assertThat(fold("last(/a)", documents)).isEqualTo("{\"x\":1.5}");
        assertThat(fold("last(/a)", "{\"a\":false}")).isEqualTo("{\"x\":false}");
        assertThat(fold("last(/a)", "{\"a\":7}")).isEqualTo("{\"x\":7}");
        assertThat(fold("last(/a)", "{}")).isEqualTo("{\"x\":null}");
    }

    @Test
    void countsDifferentValues() {
        String saved =
                fold(
                        "distinct(/a)",
                        "{\"a\":1}",
                        "{\"a\":1.0}",
                        "{\"a\":\"1\"}",
                        "{\"a\":true}",
                        "{\"a\":\"true\"}",
                        "{\"a\":10}",
                        "{\"a\":1e1}",
                        "{}",
                        "{\"a\":null}");
        assertThat(saved).startsWith("{\"x\":5,\"$\":{\"x\":\"");
        assertThat(fold("distinct(/a)", "{}")).isEqualTo("{\"x\":0}");
    }

    @Test
    void staysAtTheBoundOfADistinctCountAndSaysSo() {
        FoldRunner<?, ?> runner = FoldRunner.ofExpressions("x", "distinct(/a, 3)");
        runner.fold("{\"a\":1}", "{\"a\":2}", "{\"a\":3}", "{\"a\":2}");
        assertThat(runner.saved()).startsWith("{\"x\":3,").doesNotContain("full");
        String full = "{\"x\":3,\"$\":{\"x\":\"full\"}}";
        assertThat(runner.fold("{\"a\":4}").saved()).isEqualTo(full);
        assertThat(runner.reload().fold("{\"a\":5}", "{\"a\":1}").saved()).isEqualTo(full);
        assertThat(
                        FoldRunner.ofExpressions("x", "distinct(/a, 9)")
                                .load(full)
                                .fold("{\"a\":9}")
                                .saved())
                .isEqualTo(full);
    }

    @Test
    void goesToAThousandDifferentValuesUnlessToldOtherwise() {
        FoldRunner<?, ?> runner = FoldRunner.ofExpressions("x", "distinct(/a)");
        IntStream.range(0, 1_000).forEach(i -> runner.fold("{\"a\":" + i + "}"));
        assertThat(runner.reload().saved()).startsWith("{\"x\":1000,").doesNotContain("full");
        assertThat(runner.fold("{\"a\":1000}").saved()).contains("full");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/t = \"in\"        | 10",
                "/t != \"in\"       | 5",
                "/t < \"in\"        | 0",
                "/t >= 'in'         | 15",
                "/n = 1             | 8",
                "/n = 1.0           | 8",
                "/n != 1            | 7",
                "/n < 2             | 8",
                "/n <= 2            | 13",
                "/n > 1.5           | 7",
                "/n >= 2e0          | 7",
                "/b = true          | 2",
                "/b!=true           | 8",
                "/b exists          | 10",
                "/none exists       | 0",
                "/none != 1         | 0",
                "/o exists          | 5"
            })
    void looksOnlyAtMessagesThatMeetTheCondition(String condition, long expected) {
        assertThat(
                        fold(
                                "sum(/a) where " + condition,
                                "{\"a\":8,\"t\":\"in\",\"n\":1,\"b\":false}",
                                "{\"a\":5,\"t\":\"out\",\"n\":2,\"o\":{}}",
                                "{\"a\":2,\"t\":\"in\",\"n\":3.5,\"b\":true}"))
                .isEqualTo("{\"x\":" + expected + "}");
    }

    @Test
    void comparesTextsByCodePoints() {
        String[] documents = {"{\"t\":\"\ufffd\"}", "{\"t\":\"\ud83d\ude00\"}", "{\"t\":\"z\"}"};
        assertThat(fold("count() where /t > \"\ufffd\"", documents)).isEqualTo("{\"x\":1}");
        assertThat(fold("count() where /t < '\ud83d\ude00'", documents)).isEqualTo("{\"x\":2}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sum(/a)                  | {\"a\":\"1\"}  | x: /a is a text, sum wants a number",
                "avg(/a)                  | {\"a\":true}   | avg wants a number",
                "min(/a)                  | {\"a\":{}}     | object or an array",
                "max(/a)                  | {\"a\":[1]}    | object or an array",
                "last(/a)                 | {\"a\":[1]}    | last wants a single value",
                "distinct(/a)             | {\"a\":{}}     | distinct wants a single value",
                "count() where /a = 1     | {\"a\":\"1\"}  | /a is a text and can't be compared",
                "count() where /a = \"1\" | {\"a\":1}      | with a text",
                "count() where /a = true  | {\"a\":1}      | with true or false",
                "count() where /a > 1     | {\"a\":[]}     | can't be compared",
                "sum(/a)                  | {\"a\":1e400}  | more than 400 digits",
                "sum(/a)                  | {\"a\":1e-401} | more than 400 digits",
                "last(/a)                 | {\"a\":\"\\u0000\"} | NUL",
                "last(/a)                 | {\"a\":\"\\ud800\"} | NUL or half a surrogate",
                "sum(/a)                  | {\"a\":1,\"a\":2} | occurs twice",
                "count()                  | {\"a\":1       | not the JSON"
            })
    void failsOnWhatItCantTakeIn(String expression, String document, String said) {
        assertThatThrownBy(() -> fold(expression, document))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining(said);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e9999999999", "-1e9999999999", "1e-9999999999", "1e2147483648"})
    void refusesNumbersWithEndlessExponentsInEveryFunctionAndCondition(String number) {
        for (String function : Function.WORDS) {
            assertMalformed(function + "(/a)", "{\"a\":" + number + "}");
        }
        assertMalformed("count() where /a > 1", "{\"a\":" + number + "}");
        assertMalformed("sum(/b) where /a exists", "{\"a\":" + number + ",\"b\":1}");
    }

    private static void assertMalformed(String expression, String document) {
        assertThatThrownBy(() -> fold(expression, document))
                .as("%s of %s", expression, document)
                .isInstanceOf(MalformedException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sum(/a)   | {\"x\":1e9999999999}",
                "sum(/a)   | {\"x\":1e999999999}",
                "max(/a)   | {\"x\":1e200000}",
                "min(/a)   | {\"x\":1e-16384}",
                "last(/a)  | {\"x\":1e200000}",
                "last(/a)  | {\"x\":\"\\u0000\"}",
                "first(/a) | {\"x\":\"\\ud800\"}",
                "avg(/a)   | {\"x\":1,\"$\":{\"x\":[1e200000,2]}}",
                "sum(/a)   | {\"x\":1,\"x\":2}"
            })
    void aStateThatAPersonHasWrittenIsRefusedWhereTheRowCouldNotBeCast(
            String expression, String state) {
        FoldRunner<?, ?> runner = FoldRunner.ofExpressions("x", expression);
        assertThatThrownBy(() -> runner.loadStrictly(state)).isInstanceOf(MalformedException.class);
    }

    @Test
    void ignoresAWrongTypeInMessagesThatItDoesNotLookAt() {
        assertThat(fold("sum(/a) where /t = 1", "{\"a\":\"x\",\"t\":2}", "{\"a\":1,\"t\":1}"))
                .isEqualTo("{\"x\":1}");
    }

    @Test
    void deletesTheStateOnATombstoneAndStartsAnew() {
        FoldRunner<?, ?> runner =
                FoldRunner.ofExpressions("x", "sum(/a)", "n", "count()").fold("{\"a\":1}");
        assertThat(runner.tombstone().saved()).isEqualTo("deleted");
        assertThat(runner.fold("{\"a\":5}").saved()).isEqualTo("{\"x\":5,\"n\":1}");
    }

    @Test
    void keepsSeveralExpressionsInTheirOrder() {
        assertThat(
                        FoldRunner.ofExpressions(
                                        "b", "sum(/a)", "a", "avg(/a)", "c", "max(/a)", "é",
                                        "count()")
                                .fold("{\"a\":1}", "{\"a\":2}")
                                .reload()
                                .saved())
                .isEqualTo("{\"b\":3,\"a\":1.5,\"c\":2,\"é\":2,\"$\":{\"a\":[3,2]}}");
    }

    @Test
    void anAddedExpressionBeginsWithTheNextMessage() {
        assertThat(
                        FoldRunner.ofExpressions("new", "count()", "old", "sum(/a)")
                                .load("{\"old\":4}")
                                .fold("{\"a\":1}")
                                .saved())
                .isEqualTo("{\"new\":1,\"old\":5}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"gone\":{\"x\":[1]},\"old\":4}",
                "{\"old\":4,\"gone\":1}",
                "{\"old\":4,\"$\":{\"gone\":[1,2]}}"
            })
    void aFieldThatNoExpressionHasIsNotDroppedBeforeSomebodyGivesItUp(String state) {
        GivenUpFields givenUp = new GivenUpFields();
        ExpressionFold codec =
                new ExpressionFold(
                        List.of(new ExpressionParser().parse("old", "sum(/a)")), givenUp);
        byte[] saved = state.getBytes(StandardCharsets.UTF_8);

        assertThatThrownBy(() -> codec.decode(saved))
                .isInstanceOf(UnreadableStateException.class)
                .hasMessageContaining("another version")
                .hasMessageContaining("gone");

        givenUp.are(List.of("gone"));
        assertThat(new String(codec.encode(codec.decode(saved)), StandardCharsets.UTF_8))
                .isEqualTo("{\"old\":4}");

        givenUp.are(List.of());
        assertThatThrownBy(() -> codec.decode(saved)).isInstanceOf(UnreadableStateException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sum(/a)      | {\"x\":\"text\"}",
                "sum(/a)      | {\"x\":null}",
                "count()      | {\"x\":1.5}",
                "max(/a)      | {\"x\":[1]}",
                "avg(/a)      | {\"x\":1}",
                "avg(/a)      | {\"x\":1,\"$\":{\"x\":[1]}}",
                "avg(/a)      | {\"x\":1,\"$\":{\"x\":[1,0]}}",
                "avg(/a)      | {\"x\":1,\"$\":{\"x\":\"full\"}}",
                "distinct(/a) | {\"x\":1}",
                "distinct(/a) | {\"x\":2,\"$\":{\"x\":\"AAAAAAAAAAAAAAAAAAAAAA\"}}",
                "distinct(/a) | {\"x\":1,\"$\":{\"x\":\"!\"}}",
                "sum(/a)      | {\"x\":1,\"$\":{\"x\":[1,2]}}",
                "sum(/a)      | [1]"
            })
    void aStateThatItCantGoOnWithIsOfAnotherVersion(String expression, String state) {
        FoldRunner<?, ?> runner = FoldRunner.ofExpressions("x", expression);
        assertThatThrownBy(() -> runner.load(state)).isInstanceOf(UnreadableStateException.class);
        assertThatThrownBy(() -> runner.loadStrictly(state)).isInstanceOf(MalformedException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"x\":1} 2", "{\"x\":", "nothing"})
    void whatIsNoJsonIsDamagedAndOfNoVersion(String state) {
        FoldRunner<?, ?> runner = FoldRunner.ofExpressions("x", "sum(/a)");
        assertThatThrownBy(() -> runner.load(state)).isInstanceOf(MalformedException.class);
    }

    @Test
    void writesWhatItCanReadHoweverLargeTheNumbers() {
        FoldRunner<?, ?> runner = FoldRunner.ofExpressions("s", "sum(/a)", "v", "avg(/a)");
        String large = "{\"a\":" + "7".repeat(400) + "." + "7".repeat(400) + "}";
        for (int i = 0; i < 1_000; i++) {
            runner.fold(large, "{\"a\":1e-400}", "{\"a\":9.99e399}");
        }
        String saved = runner.saved();
        assertThat(runner.reload().saved()).isEqualTo(saved).hasSizeGreaterThan(1_600);
    }

    @Test
    void aStateThatAPersonHasWrittenIsRefusedWithANameThatThereIsNot() {
        FoldRunner<?, ?> fold = FoldRunner.ofExpressions("n", "count()", "sum", "sum(/amount)");

        assertThat(fold.loadStrictly("{\"n\":3}").fold("{\"amount\":2}").saved())
                .isEqualTo("{\"n\":4,\"sum\":2}");
        assertThatThrownBy(() -> fold.loadStrictly("{\"n\":3,\"summ\":1}"))
                .isInstanceOf(MalformedException.class)
                .hasMessage("there is no \"summ\"; its names are [n, sum]");
    }
}
