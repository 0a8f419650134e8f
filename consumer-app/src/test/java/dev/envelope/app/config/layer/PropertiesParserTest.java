package dev.envelope.app.config.layer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.config.layer.PropertiesParser.Property;
import dev.envelope.app.config.problem.ProblemCollector;
import java.io.IOException;
import java.io.StringReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PropertiesParserTest {

    private final ProblemCollector problems = new ProblemCollector();

    private List<Property> parse(String text) {
        return new PropertiesParser("f", problems).parse(text);
    }

    private String printed() {
        return problems.problems().render();
    }

    @Test
    void everyKeyKnowsTheLineOnWhichItBegins() {
        assertThat(parse("# comment\n\na=1\n! comment\n  b : 2\nc 3\nd\n"))
                .containsExactly(
                        new Property("a", "1", 3),
                        new Property("b", "2", 5),
                        new Property("c", "3", 6),
                        new Property("d", "", 7));
    }

    @Test
    void aContinuedValueCountsAtItsFirstLine() {
        assertThat(parse("a=1,\\\n    2,\\\n    3\nb=4"))
                .containsExactly(new Property("a", "1,2,3", 1), new Property("b", "4", 4));
    }

    @Test
    void windowsAndOldMacLineEndsAreLineEnds() {
        assertThat(parse("a=1\r\nb=2\\\r\n  3\rc=4\r\n"))
                .containsExactly(
                        new Property("a", "1", 1),
                        new Property("b", "23", 2),
                        new Property("c", "4", 4));
    }

    @Test
    void escapesAreUndoneInKeysAndValues() {
        assertThat(parse("a\\=b=x\\ty\\u00e9\\\\\nc=\\ d"))
                .containsExactly(
                        new Property("a=b", "x\ty\u00e9\\", 1), new Property("c", " d", 2));
    }

    @Test
    void blanksAtTheEndOfAValueAreKept() {
        assertThat(parse("a=1 \t")).containsExactly(new Property("a", "1 \t", 1));
    }

    @Test
    void aKeyThatIsSetTwiceIsRefusedWithBothLines() {
        assertThat(parse("a=1\nb=2\na=3")).extracting(Property::value).containsExactly("1", "2");
        assertThat(printed())
                .contains("f:3  a\n    is set twice: on line 1 and on line 3")
                .contains("remove one");
    }

    @Test
    void equalKeysThatAreWrittenDifferentlyAreStillEqual() {
        parse("a.b=1\na\\.b=2");
        assertThat(printed()).contains("f:2  a.b\n    is set twice");
    }

    @Test
    void aBrokenCodePointIsRefused() {
        parse("a=\\u12g4");
        assertThat(printed()).contains("f:1\n    \\u must be followed by four hexadecimal digits");
    }

    @Test
    void aBackslashThatWouldVanishIsPointedOut() {
        assertThat(parse("a=C:\\dir")).containsExactly(new Property("a", "C:dir", 1));
        assertThat(printed()).contains("a backslash before 'd' has no meaning");
    }

    @Test
    void aLineWithoutAKeyIsRefused() {
        assertThat(parse("=1")).isEmpty();
        assertThat(printed()).contains("f:1\n    there is no key before the separator");
    }

    @Test
    void itReadsWhatTheReaderOfTheJdkReads() throws IOException {
        String[] pieces = {
            "a",
            "b",
            "=",
            ":",
            " ",
            "\t",
            "\f",
            "\\",
            "\\\\",
            "\n",
            "\r",
            "\r\n",
            "#",
            "!",
            "\\n",
            "\\u0041",
            "é",
            "\\\n",
            "\\\r\n  "
        };
        for (long seed = 0; seed < 5_000; seed++) {
            Random random = new Random(seed);
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(40); i > 0; i--) {
                text.append(pieces[random.nextInt(pieces.length)]);
            }
            Properties theirs = new Properties();
            theirs.load(new StringReader(text.toString()));
            Map<String, String> last = new HashMap<>();
            theirs.forEach((key, value) -> last.put(key.toString(), value.toString()));
            Map<String, String> ours = new HashMap<>();
            for (LogicalLine line : LogicalLine.split(text.toString())) {
                parse(line.text()).forEach(it -> ours.put(it.key(), it.value()));
            }
            last.remove("");
            assertThat(ours).as("seed %d: <%s>", seed, text).isEqualTo(last);
        }
    }
}
