package dev.envelope.integration.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.Signal;
import dev.envelope.integration.stack.Waiting;
import dev.envelope.integration.stack.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("cluster")
class DemoTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Test
    void itShowsFiguresAndRowsAndEndsByItself() throws Exception {
        try (Workspace workspace = Workspace.open()) {
            ChildProcess demo = start(workspace, "--seconds", "5", "--rate", "2000");

            assertThat(demo.awaitExit(PATIENCE)).as("%s", demo.logTail(40)).isZero();

            assertThat(Files.readString(demo.log()))
                    .contains(
                            "first rows after",
                            "page      http://",
                            "token     ",
                            "psql",
                            "records per write")
                    .containsPattern("key-\\d+ +\\d+  \\{\"balance\": ")
                    .contains("envelope has ended with 0");
            assertNothingIsLeft(workspace);
        }
    }

    @Test
    void aSignalEndsItWithoutATrace() throws Exception {
        try (Workspace workspace = Workspace.open()) {
            ChildProcess demo = start(workspace, "--rate", "2000");
            Waiting.until(
                    PATIENCE,
                    Duration.ofMillis(50),
                    () -> demo.logTail(50).contains("total"),
                    () -> "no figures: " + demo.logTail(50));

            // Not INT: where the tests run in a shell's background it is ignored, by inheritance.
            demo.signal(Signal.TERM);

            assertThat(demo.awaitExit(PATIENCE)).isEqualTo(128 + 15);
            assertThat(Files.readString(demo.log())).contains("envelope has ended with 0");
            assertNothingIsLeft(workspace);
        }
    }

    @Test
    void itRefusesWhatItDoesNotKnow() {
        assertThatThrownBy(() -> DemoOptions.parse(new String[] {"--speed", "9"}))
                .hasMessageContaining("--speed");
        assertThatThrownBy(() -> DemoOptions.parse(new String[] {"--rate", "-1"}))
                .hasMessageContaining("--rate wants a positive number");
        assertThatThrownBy(() -> DemoOptions.parse(new String[] {"--keys"}))
                .hasMessageContaining("--keys has no value");
    }

    /** In a workspace of ours, so that what it leaves in its temporary folder can be seen. */
    private static ChildProcess start(Workspace workspace, String... options) {
        return workspace.start("demo", JavaCommand.of(Demo.class).heap("512m").arguments(options));
    }

    private static void assertNothingIsLeft(Workspace workspace) throws IOException {
        try (Stream<Path> left = Files.list(workspace.temporaryFolder())) {
            assertThat(left.filter(it -> it.getFileName().toString().startsWith("envelope")))
                    .isEmpty();
        }
    }
}
