package dev.envelope.app.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class EnvelopeCommandTest {

    @TempDir Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String... arguments) {
        Terminal terminal = new Terminal(new PrintWriter(out, true), new PrintWriter(err, true));
        return EnvelopeCommand.execute(terminal, arguments);
    }

    private String file(String... more) throws IOException {
        String base =
                """
                application.id=balances
                bootstrap.servers=localhost:9092
                topics=payments
                store.url=jdbc:postgresql://localhost/db
                """;
        Path file = directory.resolve("app.properties");
        Files.writeString(file, base + String.join("\n", more) + "\n");
        return file.toString();
    }

    static Stream<CommandLine> everyCommand() {
        Terminal nowhere =
                new Terminal(
                        new PrintWriter(Writer.nullWriter()), new PrintWriter(Writer.nullWriter()));
        return with(EnvelopeCommand.on(nowhere));
    }

    private static Stream<CommandLine> with(CommandLine command) {
        return Stream.concat(
                Stream.of(command),
                command.getSubcommands().values().stream()
                        .filter(it -> !it.getCommandName().equals("help"))
                        .flatMap(EnvelopeCommandTest::with));
    }

    @ParameterizedTest
    @MethodSource("everyCommand")
    void everyHelpFitsATerminalAndShowsALineToCopyFirst(CommandLine command) {
        String name = command.getCommandSpec().qualifiedName();
        String arguments = name.replaceFirst("^envelope ?", "") + " --help";

        int code = execute(arguments.strip().split(" "));

        assertThat(code).isZero();
        assertThat(out.toString().lines()).hasSizeLessThanOrEqualTo(24);
        assertThat(out.toString().lines()).allMatch(line -> line.length() <= 80);
        assertThat(command.getCommandSpec().usageMessage().footer()) // it would be wrapped
                .allMatch(line -> line.length() <= 80);
        assertThat(out.toString().indexOf("  " + name))
                .isPositive()
                .isLessThan(out.toString().indexOf("Usage:"));
        assertThat(out.toString()).doesNotContain("\u001B");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "rum", "run", "run -c", "run --config=x --verbos", "version extra"})
    void aWrongCommandLineIsUsageAndTheAnswerStaysOffTheOutput(String line) {
        int code = line.isEmpty() ? execute() : execute(line.split(" "));

        assertThat(code).isEqualTo(64);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).contains("--help");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "start | did you mean envelope run?",
                "start -c x.properties | did you mean envelope run?",
                "rum | Did you mean: envelope run",
                "run x.properties | did you mean envelope run -c x.properties?",
                "stuck x.properties | did you mean envelope stuck -c x.properties?",
                "config show x.properties | did you mean envelope config show -c x.properties?",
                "parked show a --url localhost:1 | it wants -c with the properties file",
                "parked | list, show, redrive",
            })
    void whoMissesACommandOrAnOptionIsToldIt(String line, String hint) {
        assertThat(execute(line.split(" "))).isEqualTo(64);
        assertThat(err.toString()).contains(hint);
    }

    @Test
    void parkedAloneReadsTheFileAsItsListDoes() throws IOException {
        String file = file("handler=latest", "pool.size=none");

        assertThat(execute("parked", "-c", file)).isEqualTo(78);
        assertThat(execute("parked", "list", "-c", file)).isEqualTo(78);
        assertThat(err.toString()).contains("pool.size");
    }

    @Test
    void theHelpNamesEveryCommand() {
        Terminal terminal = new Terminal(new PrintWriter(out, true), new PrintWriter(err, true));
        CommandLine line = EnvelopeCommand.on(terminal);
        line.execute("--help");

        assertThat(line.getSubcommands().keySet())
                .filteredOn(name -> !name.equals("rehearse")) // for our own scripts
                .allSatisfy(
                        name -> assertThat(out.toString()).containsPattern("\\b" + name + "\\b"));
    }

    @Test
    void settingsThatHoldAreShownWithTheirOriginsAndWithoutSecrets() throws IOException {
        String file = file("handler=latest", "store.user=me", "store.password=hunter2");

        assertThat(execute("config", "show", "-c", file)).isZero();
        assertThat(out.toString())
                .contains("handler=latest  # " + file + ":5")
                .contains("commit.interval=1s  # default")
                .doesNotContain("hunter2");

        out.getBuffer().setLength(0);
        assertThat(execute("config", "show", "-c", file, "--diff-defaults", "--json")).isZero();
        assertThat(out.toString())
                .contains("{\"name\":\"handler\",\"value\":\"latest\",\"origin\":")
                .doesNotContain("commit.interval");
    }

    @Test
    void aSettingIsExplainedAndAnUnknownOneIsAnsweredWithTheNearest() {
        assertThat(execute("config", "explain", "pool.size")).isZero();
        assertThat(out.toString()).contains("ENVELOPE_POOL_SIZE").contains("default");

        assertThat(execute("config", "explain", "pol.size")).isEqualTo(1);
        assertThat(err.toString()).contains("did you mean pool.size?");
    }

    @Test
    void theSampleAndTheReferenceCanBePrinted() {
        assertThat(execute("config", "sample")).isZero();
        assertThat(out.toString()).contains("application.id=");
        assertThat(execute("config", "docs")).isZero();
        assertThat(out.toString()).contains("# Configuration");
    }

    @Test
    void aShellLearnsTheCommands() {
        assertThat(execute("completion")).isZero();
        assertThat(out.toString()).contains("stuck").contains("--diff-defaults");
    }

    @Test
    void validSettingsAreToldByOneLine() throws IOException {
        int code = execute("validate", "-c", file("handler=latest"));

        assertThat(code).as(err.toString()).isZero();
        assertThat(out.toString()).startsWith("ok: latest document of each key, settings ");
    }

    @Test
    void aSecretInTheFileIsWarnedOfOnAScreenToo() throws IOException {
        ByteArrayOutputStream screen = new ByteArrayOutputStream();
        Terminal terminal =
                new Terminal(
                        new PrintWriter(Writer.nullWriter()),
                        new PrintWriter(screen, true, StandardCharsets.UTF_8)); // as a process has

        int code =
                EnvelopeCommand.execute(
                        terminal,
                        "validate",
                        "-c",
                        file("handler=latest", "http.token=correct-horse-battery"));

        assertThat(code).isZero();
        assertThat(screen.toString(StandardCharsets.UTF_8))
                .contains("app.properties:6  http.token")
                .contains("is a secret that stands in the file itself")
                .doesNotContain("correct-horse");
    }

    @Test
    void aFlagOfTheCommandLineCounts() throws IOException {
        assertThat(execute("validate", "-c", file("handler=latest"), "--set", "pool.size=none"))
                .isEqualTo(78);
        assertThat(err.toString()).contains("--set").contains("pool.size");
    }

    @Test
    void aMisspeltSettingIsRefusedWithItsPlaceAndTheRightName() throws IOException {
        int code = execute("validate", "-c", file("handler=latest", "comit.interval=1s"));

        assertThat(code).isEqualTo(78);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString().replace(directory + "/", ""))
                .isEqualTo(
                        """
                        The configuration was refused: 1 problem.

                        app.properties:6  comit.interval
                            there is no such setting
                            -> did you mean commit.interval?
                        """);
    }

    @Test
    void aHandlerThatIsNotThereIsRefusedWithItsPlace() throws IOException {
        int code = execute("validate", "-c", file("handler=com.example.Missing"));

        assertThat(code).isEqualTo(78);
        assertThat(err.toString())
                .contains("app.properties:5")
                .contains("there is no class com.example.Missing");
    }

    @Test
    void aFileThatIsNotThereIsRefused() {
        assertThat(execute("run", "-c", directory.resolve("nowhere").toString())).isEqualTo(78);
        assertThat(err.toString()).contains("nowhere");
    }

    @Test
    void theScriptOfTheTablesIsAllThatIsPrinted() throws IOException {
        int code = execute("migrate", "-c", file("handler=latest"), "--print-sql");

        assertThat(code).isZero();
        assertThat(out.toString())
                .contains("CREATE SCHEMA IF NOT EXISTS \"balances\"")
                .doesNotContain("GRANT")
                .doesNotContain("${");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void aSeparateOwnerGrantsTheWorkerItsRights() throws IOException {
        String file = file("handler=latest", "store.user=worker", "store.migrator.user=owner");

        assertThat(execute("migrate", "-c", file, "--print-sql")).isZero();
        assertThat(out.toString()).contains("GRANT USAGE ON SCHEMA \"balances\" TO \"worker\"");
    }

    @Test
    void theClassPathIsOneThatAHandlerCanBeCompiledAgainst() {
        assertThat(execute("classpath")).isZero();
        assertThat(out.toString().strip().split(File.pathSeparator))
                .allSatisfy(entry -> assertThat(Path.of(entry)).exists());
    }

    @Test
    void theVersionIsTheBuilds() {
        assertThat(execute("version")).isZero();
        String said = out.toString();
        assertThat(said).containsPattern("envelope \\d+\\.\\d+\\.\\d+").contains("java ");
        assertThat(execute("--version")).isZero();
        assertThat(out.toString()).isEqualTo(said + said);
    }
}
