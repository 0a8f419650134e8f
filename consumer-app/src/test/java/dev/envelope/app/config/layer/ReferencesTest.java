package dev.envelope.app.config.layer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReferencesTest {

    @TempDir Path directory;

    private final ProblemCollector problems = new ProblemCollector();

    private Optional<String> resolve(String text) {
        return new References(Map.of("NAME", "value", "EMPTY", ""), directory, problems)
                .resolve(new Entry("key", text, new Origin.FileLine("f", 7), directory));
    }

    private Path write(String name, String text, String modes) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(modes));
    }

    private String printed() {
        return problems.problems().render();
    }

    @Test
    void variablesAreReplacedWhereverTheyStand() {
        assertThat(resolve("a ${env:NAME} b ${env:NAME}")).contains("a value b value");
    }

    @Test
    void keysOfFilesAreReplaced() throws IOException {
        write("secrets.properties", "db.password=p\\u00e4ss:word\n", "rw-------");
        assertThat(resolve("${file:secrets.properties:db.password}")).contains("p\u00e4ss:word");
        assertThat(resolve("${file:" + directory + "/secrets.properties:db.password}"))
                .contains("p\u00e4ss:word");
        assertThat(printed()).isEmpty();
    }

    @Test
    void filesOfDirectoriesAreReplacedWithoutTheirLastLineEnd() throws IOException {
        write("token", "one\ntwo\n", "rw-------");
        assertThat(resolve("${dir:" + directory + ":token}")).contains("one\ntwo");
    }

    @Test
    void whatIsReplacedIsNotLookedThroughAgain() throws IOException {
        write("token", "${env:NAME}", "rw-------");
        assertThat(resolve("${dir:.:token}")).contains("${env:NAME}");
    }

    @Test
    void aDoubledDollarIsALiteralOne() {
        assertThat(resolve("$${env:NAME}")).contains("${env:NAME}");
        assertThat(References.in("$${env:NAME}")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "${env:NOWHERE} | the environment variable NOWHERE is not set",
                "${NAME} | did you mean ${env:NAME}?",
                "${enw:NAME} | did you mean env?",
                "${vault:a:b} | there is no provider \"vault\"",
                "${file:nowhere:key} | there is no file nowhere",
                "${file:nowhere} | the syntax is ${file:path:key}",
                "${file:some:other} | the file some has no key other",
                "${dir:.:nowhere} | there is no file nowhere",
                "${dir:.:../up} | ../up is not a file of .",
                "${dir:.:.} | . is not a file of .",
            })
    void whatCannotBeReadIsAProblemAtItsLine(String text, String problem) throws IOException {
        write("some", "key=value", "rw-------");
        assertThat(resolve("secret-before " + text)).isEmpty();
        assertThat(printed()).contains("f:7  key = " + text).contains(problem);
        assertThat(printed()).doesNotContain("secret-before");
    }

    @Test
    void aSecretThatOthersMayReadIsPointedOut() throws IOException {
        write("loose", "key=value", "rw-r-----");
        assertThat(resolve("${file:loose:key}")).contains("value");
        assertThat(printed())
                .contains("1 warning")
                .contains("f:7  key\n    the file loose may be read by others than its owner")
                .contains("chmod 600");
    }
}
