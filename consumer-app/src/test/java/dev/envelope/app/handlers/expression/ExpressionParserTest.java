package dev.envelope.app.handlers.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.app.handlers.expression.Condition.Operator;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpressionParserTest {

    private final ExpressionParser parser = new ExpressionParser();

    @Test
    void readsAnExpression() {
        Expression expression = parser.parse("x", " distinct ( /a/b , 5000 ) where /t >= 1.50 ");
        assertThat(expression)
                .isEqualTo(
                        new Expression(
                                "x",
                                Function.DISTINCT,
                                0,
                                "/a/b",
                                5_000,
                                new Condition(1, "/t", Operator.AT_LEAST, new BigDecimal("1.50"))));
        assertThat(parser.pointers()).isEqualTo(List.of("/a/b", "/t"));
    }

    @Test
    void givesTheSamePointerTheSamePlace() {
        Expression one = parser.parse("x", "sum(/a) where /b=1");
        Expression other = parser.parse("y", "max(/b) where /a exists");
        assertThat(one.place()).isZero();
        assertThat(other.place()).isEqualTo(1);
        assertThat(parser.pointers()).hasSize(2);
    }

    @Test
    void readsQuotedPointersAndTexts() {
        Expression expression = parser.parse("x", "sum(\"/a (b), c\") where '/d e'='it\\'s \"x\"'");
        assertThat(expression.pointer()).isEqualTo("/a (b), c");
        assertThat(expression.where())
                .isEqualTo(new Condition(1, "/d e", Operator.EQUAL, "it's \"x\""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``                       | at column 1: expected one of sum, count, | found the end",
                "summ(/a)                 | at column 1: | found \"summ\"; did you mean sum?",
                "AVG(/a)                  | at column 1: | did you mean avg?",
                "total(/a)                | at column 1: expected one of | found \"total\"",
                "sum                      | at column 4: expected an opening parenthesis | the end",
                "sum()                    | at column 5: expected a JSON pointer, as in sum(/amount) | )",
                "sum(amount)              | at column 5: a JSON pointer starts with a slash | amount",
                "sum(/a~2)                | at column 5: in a JSON pointer ~ is written ~0 | /a~2",
                "sum(/a                   | at column 7: expected a closing parenthesis | the end",
                "sum(/a, 5)               | at column 8: only distinct takes a bound | bound",
                "distinct(/a, 0)          | at column 14: expected a bound from 1 to 10000 | 0",
                "distinct(/a, 10001)      | at column 14: expected a bound | 10001",
                "distinct(/a, x)          | at column 14: expected a bound | found \"x\"",
                "sum(/a) when /b = 1      | at column 9: expected where, or the end | found \"when\"",
                "sum(/a) where            | at column 14: expected a JSON pointer | the end",
                "sum(/a) where /b         | at column 17: expected one of =, !=, | the end",
                "sum(/a) where /b == 1    | at column 19: expected a number, true | found",
                "sum(/a) where /b = in    | at column 20: expected a number | if it is a text write: \"in\"",
                "sum(/a) where /b = 01    | at column 20: expected a number | 01",
                "sum(/a) where /b = null  | at column 20: null counts as missing | exists",
                "sum(/a) where /b = \"x   | at column 20: a quote that is not closed | quote",
                "sum(/a) where /b = 1 and | at column 22: expected the end | found \"and\"",
                "sum(/a) where /b < true  | compared with = or != only | true",
                "sum(/a) where /b exists 1| expected the end | found \"1\""
            })
    void saysWhereAnExpressionIsWrongAndWhatWouldBeRight(String text, String said, String saidToo) {
        assertThatThrownBy(() -> parser.parse("x", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(said)
                .hasMessageContaining(saidToo);
    }
}
