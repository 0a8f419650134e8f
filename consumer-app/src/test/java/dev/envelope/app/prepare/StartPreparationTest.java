package dev.envelope.app.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class StartPreparationTest {

    private static final long ENOUGH = 2L << 30;

    /** As the real one leaves them; which program was called, and how, is written down. */
    private static final String MAKES_THEM =
            """
            cp "$lib/expected" "$lib/envelope.jsa.for"
            echo classes > "$lib/envelope.jsa"
            """;

    @TempDir Path folder;
    private SharedClasses shared = new SharedClasses(Path.of(""));

    @BeforeEach
    void unpack() throws IOException {
        Files.createDirectories(folder.resolve("bin"));
        Files.createDirectories(folder.resolve("lib"));
        shared = new SharedClasses(folder.resolve("bin/envelope"));
        Files.writeString(lib("expected"), SharedClasses.whatTheyAreFor());
        launcherThat(MAKES_THEM);
    }

    private Path lib(String file) {
        return folder.resolve("lib").resolve(file);
    }

    private void launcherThat(String does) throws IOException {
        Path launcher = folder.resolve("bin/envelope");
        Files.writeString(
                launcher,
                "#!/bin/sh\nlib=%s\necho \"$*\" >> \"$lib/calls\"\n%s"
                        .formatted(folder.resolve("lib"), does));
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
    }

    private List<String> calls() throws IOException {
        return Files.exists(lib("calls")) ? Files.readAllLines(lib("calls")) : List.of();
    }

    private StartPreparation preparation(Supplier<Duration> cpuTime, LongSupplier freeBytes) {
        return new StartPreparation(shared, Duration.ofMillis(1), cpuTime, freeBytes);
    }

    private StartPreparation ofAnIdleOne() {
        return preparation(() -> Duration.ZERO, () -> ENOUGH);
    }

    @Test
    void anIdleProcessCallsTheLauncherAndThenThereIsNothingToDoAnyMore() throws IOException {
        assertThat(StartPreparation.isOpen(shared)).isTrue();

        ofAnIdleOne().run();

        assertThat(calls()).containsExactly("prepare");
        assertThat(StartPreparation.isOpen(shared)).isFalse();

        ofAnIdleOne().run();

        assertThat(calls()).as("nothing is made twice").hasSize(1);
    }

    @Test
    void aProcessThatHasEndedPreparesNothing() throws IOException {
        StartPreparation preparation = ofAnIdleOne();
        preparation.close();

        preparation.run();

        assertThat(calls()).isEmpty();
    }

    @Test
    void aBusyProcessIsWaitedFor() throws IOException {
        List<Duration> looks = new ArrayList<>();
        Supplier<Duration> busyForFiveLooks =
                () -> {
                    looks.add(Duration.ofSeconds(10L * Math.min(looks.size(), 5)));
                    return looks.get(looks.size() - 1);
                };

        preparation(busyForFiveLooks, () -> ENOUGH).run();

        assertThat(looks).hasSize(7);
        assertThat(calls()).hasSize(1);
    }

    /** Closes it at the fifth look, which would otherwise go on for ever. */
    private static final class Looks {

        private int looks;
        private @Nullable StartPreparation closed;

        long atFree(long bytes) {
            looks++;
            if (looks == 5 && closed != null) {
                closed.close();
            }
            return bytes;
        }
    }

    @Test
    void nothingIsDoneWhileMemoryIsShort() throws IOException {
        Looks looks = new Looks();
        StartPreparation preparation =
                preparation(() -> Duration.ZERO, () -> looks.atFree(512L << 20));
        looks.closed = preparation;

        preparation.run();

        assertThat(looks.looks).isEqualTo(5);
        assertThat(calls()).isEmpty();
    }

    @Test
    void whileAnotherProcessMakesThemNothingIsDone() throws IOException {
        try (FileChannel file =
                        FileChannel.open(
                                shared.lock(),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                FileLock lock = file.lock()) {
            assertThat(lock.isValid()).isTrue();

            ofAnIdleOne().run();

            assertThat(calls()).isEmpty();
        }
    }

    @Test
    void classesThatAreForAnotherJavaAreMadeAnew() throws IOException {
        Files.writeString(lib("envelope.jsa"), "classes");
        assertThat(shared.areThere()).as("nobody knows for what").isFalse();

        Files.writeString(lib("envelope.jsa.for"), "another\n1.8\n");
        assertThat(shared.areThere()).isFalse();

        Files.writeString(lib("envelope.jsa.for"), "a warning\n" + SharedClasses.whatTheyAreFor());
        assertThat(shared.areThere()).isTrue();
    }

    @Test
    void whereItCanNotBeWrittenToNothingIsDone() {
        SharedClasses nowhere = new SharedClasses(folder.resolve("nowhere/bin/envelope"));

        assertThat(StartPreparation.isOpen(nowhere)).isFalse();
    }

    @Test
    void aLauncherThatFailsIsCalledOnce() throws IOException {
        launcherThat("exit 3\n");

        ofAnIdleOne().run();

        assertThat(calls()).hasSize(1);
        assertThat(StartPreparation.isOpen(shared)).as("by the next start").isTrue();
    }

    @Test
    void whatIsUnderWayEndsWithTheProcess() throws Exception {
        launcherThat("sleep 600 &\necho $! > \"$lib/pid\"\nwait\n");
        StartPreparation preparation = ofAnIdleOne();
        Thread thread = new Thread(preparation::run);
        thread.start();
        ProcessHandle sleeping = ProcessHandle.of(pid()).orElseThrow();

        preparation.close();

        sleeping.onExit().get(60, TimeUnit.SECONDS);
        thread.join(60_000);
        assertThat(thread.isAlive()).isFalse();
    }

    private long pid() throws Exception {
        for (int looks = 0; looks < 600; looks++) {
            if (Files.exists(lib("pid")) && Files.readString(lib("pid")).endsWith("\n")) {
                return Long.parseLong(Files.readString(lib("pid")).strip());
            }
            var unused = new CountDownLatch(1).await(100, TimeUnit.MILLISECONDS);
        }
        throw new AssertionError("it was not called");
    }

    @Test
    void onlyWhatWasUnpackedIsPrepared() {
        assertThat(StartPreparation.begin(true)).isEmpty();
    }

    @Test
    void itIsKnownHowMuchMemoryIsFree() {
        assertThat(FreeMemory.bytes()).isPositive();
    }
}
