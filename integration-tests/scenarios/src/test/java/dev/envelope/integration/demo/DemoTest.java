package dev.envelope.integration.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.integration.demo.show.DemoOptions;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.Signal;
import dev.envelope.integration.stack.Waiting;
import dev.envelope.integration.stack.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("cluster")
class DemoTest {

    private static final DemoOptions DEFAULTS = DemoOptions.of(1, 1);
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @Test
    void itShowsFiguresAndRowsProvesThemAndEndsByItself() throws Exception {
        try (Workspace workspace = Workspace.open()) {
            ChildProcess demo = start(workspace, "--seconds", "4", "--rate", "1000");

            assertThat(demo.awaitExit(PATIENCE)).as("%s", demo.logTail(40)).isZero();

            assertThat(Files.readString(demo.log()))
                    .contains(
                            "the page is http://127.0.0.1:",
                            "first rows after",
                            "  page        http://127.0.0.1:",
                            "  instance 1  http://127.0.0.1:",
                            "  instance 2  http://127.0.0.1:",
                            "  token       ",
                            "psql",
                            "payments per write",
                            "that the broker has acknowledged are there exactly once")
                    .containsPattern("key-\\d+ +\\d+  \\{\"balance\": ")
                    .contains("the instances have ended with [");
            assertNothingIsLeft(workspace);
        }
    }

    @Tag("long")
    @Test
    void whatItsButtonsDoCostsNoPaymentAndASignalEndsItWithoutATrace() throws Exception {
        try (Workspace workspace = Workspace.open()) {
            ChildProcess demo = start(workspace, "--rate", "1000");
            await(demo, () -> demo.logTail(50).contains("payments per write"));
            DemoPage page = DemoPage.of(demo.logTail(1_000));
            assertThat(page.post("/burst", "another token", null).statusCode()).isEqualTo(403);
            assertThat(page.post("/burst", page.token(), "http://example.org").statusCode())
                    .isEqualTo(403);
            assertThat(page.press("/no-such-button").statusCode()).isEqualTo(404);
            await(demo, () -> page.states().equals(List.of("WORKS", "WORKS")));

            assertThat(page.pressed("/poison")).isPresent();
            await(demo, () -> page.now().at("/moment/frozen/messages").asInt() > 0);
            assertThat(page.now().at("/sentences").toString()).contains("key-100 is frozen");
            assertThat(page.pressed("/slow")).isPresent();
            assertThat(page.pressed("/burst")).isPresent();
            assertThat(page.pressed("/kill/1")).isPresent();
            await(demo, () -> page.states().contains("DEAD"));
            assertThat(awaitComparison(demo, page)).contains("exactly once");

            await(demo, () -> page.pressed("/skip").isPresent());
            await(demo, () -> page.now().at("/moment/frozen").isNull());
            assertThat(awaitComparison(demo, page))
                    .contains("exactly once")
                    .doesNotContain("poison");

            assertThat(page.pressed("/kill/2")).isPresent();
            // Not INT: where the tests run in a shell's background it is ignored, by inheritance.
            demo.signal(Signal.TERM);

            assertThat(demo.awaitExit(PATIENCE)).isEqualTo(128 + 15);
            assertThat(Files.readString(demo.log())).contains("the instances have ended with [");
            assertNothingIsLeft(workspace);
        }
    }

    @Tag("long")
    @Test
    void theInventoryIsRightWhileInstancesAreKilled() throws Exception {
        try (Workspace workspace = Workspace.open()) {
            ChildProcess demo = start(workspace, "inventory", "--rate", "8", "--keys", "5");
            await(demo, () -> demo.logTail(50).contains("all right"));
            DemoPage page = DemoPage.of(demo.logTail(1_000));
            await(demo, () -> page.now().at("/audit/count/expired").asInt() > 5);
            await(demo, () -> page.states().contains("DEAD")); // by the demo itself
            await(demo, () -> page.now().at("/repeated").asInt() > 0);

            List<String> words = new ArrayList<>();
            await(
                    demo,
                    () -> {
                        page.pressed("/prove").ifPresent(words::add);
                        return !words.isEmpty();
                    });
            assertThat(words.get(0)).startsWith("All ").contains("never oversold");
            demo.signal(Signal.TERM);
            assertThat(demo.awaitExit(PATIENCE)).isEqualTo(128 + 15);
            assertThat(Files.readString(demo.log())).doesNotContain("WRONG");
            assertNothingIsLeft(workspace);
        }
    }

    @Tag("long")
    @Test
    void noLetterIsLostWhileInstancesAreKilledAndThePostOfficeIsAway() throws Exception {
        try (Workspace workspace = Workspace.open()) {
            ChildProcess demo = start(workspace, "work", "--rate", "100", "--keys", "20");
            await(demo, () -> demo.logTail(50).contains("letters a second"));
            DemoPage page = DemoPage.of(demo.logTail(1_000));
            await(demo, () -> page.states().equals(List.of("WORKS", "WORKS")));

            assertThat(page.pressed("/refuse")).isPresent();
            await(demo, () -> page.now().at("/books/refused").asInt() == 1);
            assertThat(page.pressed("/away")).isPresent();
            await(demo, () -> page.now().at("/waiting").asInt() > 200);
            assertThat(page.pressed("/kill/1")).isPresent();
            await(demo, () -> page.states().contains("DEAD"));

            List<String> words = new ArrayList<>();
            await(
                    demo,
                    () -> {
                        page.pressed("/prove").ifPresent(words::add);
                        return !words.isEmpty();
                    });
            assertThat(words.get(0))
                    .startsWith("All ")
                    .contains("in their order", "1 was refused and is in the dead-letter topic");
            demo.signal(Signal.TERM);
            assertThat(demo.awaitExit(PATIENCE)).isEqualTo(128 + 15);
            assertNothingIsLeft(workspace);
        }
    }

    @Test
    void aSignalWhileItsServersStartEndsItWithoutATrace() throws Exception {
        try (Workspace workspace = Workspace.open()) {
            ChildProcess demo = start(workspace);
            await(demo, () -> folders(workspace).stream().anyMatch(DemoTest::hasBroker));

            demo.signal(Signal.TERM);

            assertThat(demo.awaitExit(PATIENCE)).isEqualTo(128 + 15);
            assertNothingIsLeft(workspace);
        }
    }

    @Test
    void itRefusesWhatItDoesNotKnow() {
        assertThatThrownBy(() -> DEFAULTS.with("--speed", "9")).hasMessageContaining("--speed");
        assertThatThrownBy(() -> DEFAULTS.with("--rate", "-1"))
                .hasMessageContaining("--rate wants a positive number");
        assertThatThrownBy(() -> DEFAULTS.with("--keys"))
                .hasMessageContaining("--keys has no value");
        assertThatThrownBy(() -> DEFAULTS.with("--faults", "some"))
                .hasMessageContaining("--faults wants all or few, not some");
        assertThat(DEFAULTS.with("--faults", "all", "--faults", "few")).isEqualTo(DEFAULTS);
    }

    /** In a workspace of ours, so that what it leaves in its temporary folder can be seen. */
    private static ChildProcess start(Workspace workspace, String... options) {
        return workspace.start("demo", JavaCommand.of(Demo.class).heap("512m").arguments(options));
    }

    private static void await(ChildProcess demo, BooleanSupplier condition) {
        Waiting.until(
                PATIENCE,
                Duration.ofMillis(200),
                () -> {
                    assertThat(demo.isAlive()).as("%s", demo.logTail(50)).isTrue();
                    return condition.getAsBoolean();
                },
                () -> "not yet:\n" + demo.logTail(50));
    }

    private static String awaitComparison(ChildProcess demo, DemoPage page) {
        List<String> words = new ArrayList<>();
        await(
                demo,
                () -> {
                    page.pressed("/compare").ifPresent(words::add);
                    return !words.isEmpty();
                });
        return words.get(0);
    }

    /** What clears up behind a JVM ends a little later than the JVM. */
    private static void assertNothingIsLeft(Workspace workspace) {
        Waiting.until(
                Duration.ofSeconds(30),
                Duration.ofMillis(100),
                () -> folders(workspace).isEmpty() && processes(workspace).isEmpty(),
                () -> folders(workspace) + " is left, and " + processes(workspace));
    }

    private static List<Path> folders(Workspace workspace) {
        try (Stream<Path> left = Files.list(workspace.temporaryFolder())) {
            return left.filter(it -> it.getFileName().toString().startsWith("envelope")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean hasBroker(Path folder) {
        return Files.exists(folder.resolve("logs").resolve("broker.log"));
    }

    private static List<String> processes(Workspace workspace) {
        String folder = workspace.temporaryFolder().toString();
        return ProcessHandle.allProcesses()
                .flatMap(it -> it.info().commandLine().stream())
                .filter(it -> it.contains(folder))
                .toList();
    }
}
