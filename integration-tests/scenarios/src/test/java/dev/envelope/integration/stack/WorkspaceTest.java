package dev.envelope.integration.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("cluster")
@Tag("long")
class WorkspaceTest {

    private static final Duration SOON = Duration.ofSeconds(15);

    @Test
    void closingLeavesNeitherProcessNorFolder() {
        LocalStack stack = LocalStack.start();
        stack.postgres().pause();
        List<ProcessHandle> processes = descendantsOfThisProcess();
        assertThat(processes).hasSizeGreaterThan(3);

        stack.close();

        assertThat(processes).noneMatch(WorkspaceTest::isRunning);
        assertThat(stack.workspace().folder()).doesNotExist();
    }

    @Test
    void aWorkspaceEndsWithTheJvmThatIsAskedToEnd() {
        assertNothingIsLeftAfter(Signal.TERM);
    }

    @Test
    void aWorkspaceEndsWithTheJvmThatIsKilled() {
        assertNothingIsLeftAfter(Signal.KILL);
    }

    @Test
    void aProcessTellsHowItEndedAndWhatItWrote() {
        try (Workspace workspace = Workspace.open()) {
            ChildProcess process =
                    workspace.start("talker", List.of("sh", "-c", "echo one; echo two; exit 3"));

            assertThat(process.awaitExit(SOON)).isEqualTo(3);
            assertThat(process.logTail(1)).isEqualTo("two");
            assertThat(process.exitCode()).hasValue(3);
        }
    }

    @Test
    void aProcessThatIgnoresTheRequestToEndIsKilled() {
        try (Workspace workspace = Workspace.open()) {
            ChildProcess process =
                    workspace.start(
                            "stubborn",
                            List.of(
                                    "sh",
                                    "-c",
                                    "trap '' TERM; echo ready; while :; do sleep 1; done"));
            await().until(() -> process.logTail(1).equals("ready"));

            assertThat(process.stop(Signal.TERM, Duration.ofMillis(200))).isEqualTo(128 + 9);
        }
    }

    @Test
    void nothingStartsInAClosedWorkspace() {
        Workspace workspace = Workspace.open();
        workspace.close();

        assertThatThrownBy(() -> workspace.start("late", List.of("true")))
                .isInstanceOf(IllegalStateException.class);
    }

    /** Has another JVM start a stack with a paused server, and ends that JVM. */
    private static void assertNothingIsLeftAfter(Signal signal) {
        try (Workspace workspace = Workspace.open()) {
            ChildProcess jvm =
                    workspace.start("owner", JavaCommand.of(StackOwner.class).heap("128m"));
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> jvm.logTail(1).startsWith(StackOwner.STARTED));
            Path folder = Path.of(jvm.logTail(1).substring(StackOwner.STARTED.length()));
            List<ProcessHandle> servers =
                    ProcessHandle.of(jvm.pid()).orElseThrow().descendants().toList();
            assertThat(servers).hasSizeGreaterThan(3);
            assertThat(Files.exists(folder)).isTrue();

            jvm.signal(signal);
            jvm.awaitExit(SOON);

            await().atMost(SOON)
                    .untilAsserted(
                            () -> {
                                assertThat(servers).noneMatch(WorkspaceTest::isRunning);
                                assertThat(folder).doesNotExist();
                            });
        }
    }

    private static List<ProcessHandle> descendantsOfThisProcess() {
        return ProcessHandle.current().descendants().toList();
    }

    private static boolean isRunning(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent();
    }
}
