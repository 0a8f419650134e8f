package dev.envelope.integration.stack;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A started process with its log file, and the signals for it and for its descendants.
 *
 * <p>Threads: thread-safe (immutable but for the process itself, whose state is the operating
 * system's).
 */
public final class ChildProcess {

    private static final Duration GONE_AFTER_KILL = Duration.ofSeconds(10);
    private static final Duration FROZEN_AFTER_STOP = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final ProcessBuilder.Redirect NO_INPUT =
            ProcessBuilder.Redirect.from(new File("/dev/null"));

    private final String name;
    private final Path log;
    private final Process process;
    private final Reaper reaper;
    private final CompletableFuture<Integer> end;

    private ChildProcess(String name, Path log, Process process, Reaper reaper) {
        this.name = name;
        this.log = log;
        this.process = process;
        this.reaper = reaper;
        this.end = process.onExit().thenApply(this::forget);
    }

    static ChildProcess start(
            String name, List<String> command, Workspace workspace, Reaper reaper) {
        List<String> line = new ArrayList<>(OwnSession.prefix());
        line.addAll(command);
        Path log = workspace.log(name);
        try {
            Process process =
                    new ProcessBuilder(line)
                            .directory(workspace.folder().toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                            .redirectInput(NO_INPUT)
                            .start();
            return watched(name, log, process, reaper);
        } catch (IOException e) {
            throw new UncheckedIOException("could not start " + name, e);
        }
    }

    private static ChildProcess watched(String name, Path log, Process process, Reaper reaper) {
        try {
            reaper.watch(process.pid());
            return new ChildProcess(name, log, process, reaper);
        } catch (RuntimeException e) {
            // Nobody would end it: the workspace is being closed.
            process.destroyForcibly();
            throw e;
        }
    }

    /** The name that it was started under. */
    public String name() {
        return name;
    }

    /** Its number in the operating system. */
    public long pid() {
        return process.pid();
    }

    /** The file with everything it has written. */
    public Path log() {
        return log;
    }

    /** The last {@code lines} lines of the log, to be shown when something went wrong. */
    public String logTail(int lines) {
        try {
            List<String> all =
                    new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
            return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    /** Whether it has not ended; a paused process is alive. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** The exit code, once it has ended; 128 + the signal's number when a signal ended it. */
    public OptionalInt exitCode() {
        return isAlive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
    }

    /** Waits for the end, which has to come within {@code patience}, and returns the exit code. */
    public int awaitExit(Duration patience) {
        if (!endsWithin(patience)) {
            throw new IllegalStateException(
                    name + " still runs after " + patience + ":\n" + logTail(20));
        }
        return process.exitValue();
    }

    /** Sends a signal to the process alone, not to its descendants. */
    public void signal(Signal signal) {
        if (isAlive()) {
            send(signal, List.of(process.toHandle()));
        }
    }

    /** Asks it to end, and kills it when it has not by {@code patience}; returns the exit code. */
    public int stop(Signal request, Duration patience) {
        signal(request);
        signal(Signal.CONT);
        if (!endsWithin(patience)) {
            kill();
        }
        return process.exitValue();
    }

    /** Kills it and all its descendants with -9, and returns when they are gone. */
    public void kill() {
        List<ProcessHandle> tree = tree();
        tree.forEach(ProcessHandle::destroyForcibly);
        if (!endsWithin(GONE_AFTER_KILL)) {
            throw new IllegalStateException(name + " (" + pid() + ") survives kill -9");
        }
        awaitGone(tree);
        tree.forEach(member -> reaper.forget(member.pid()));
    }

    /** Freezes it and all its descendants; returns when none of their threads runs any more. */
    public void pause() {
        // The root first: it starts no further descendant while we look for them.
        signal(Signal.STOP);
        List<ProcessHandle> tree = tree();
        send(Signal.STOP, tree);
        // Descendants end with their parent on their own, but not while they are frozen.
        tree.forEach(member -> reaper.watch(member.pid()));
        awaitFrozen(tree);
    }

    /** Lets it go on after {@link #pause()}. */
    public void resume() {
        List<ProcessHandle> tree = tree();
        send(Signal.CONT, tree);
        tree.stream()
                .filter(member -> member.pid() != pid())
                .forEach(member -> reaper.forget(member.pid()));
    }

    private List<ProcessHandle> tree() {
        ProcessHandle root = process.toHandle();
        try (Stream<ProcessHandle> descendants = root.descendants()) {
            return Stream.concat(Stream.of(root), descendants)
                    .filter(ProcessHandle::isAlive)
                    .toList();
        }
    }

    /**
     * By a shell, since the Java library knows only TERM and KILL; every shell has {@code kill}
     * built in.
     */
    private static void send(Signal signal, List<ProcessHandle> targets) {
        List<String> line =
                new ArrayList<>(List.of("sh", "-c", "kill -s \"$@\"", "sh", signal.name()));
        targets.forEach(target -> line.add(Long.toString(target.pid())));
        try {
            // Its exit code says only that some target has ended in the meantime.
            new ProcessBuilder(line)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException("could not send " + signal, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean endsWithin(Duration patience) {
        try {
            end.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException stillRunning) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(name + " ended, but could not be forgotten", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + name, e);
        }
    }

    private int forget(Process ended) {
        reaper.forget(ended.pid());
        return ended.exitValue();
    }

    private void awaitGone(List<ProcessHandle> tree) {
        Waiting.until(
                GONE_AFTER_KILL,
                PAUSE,
                () -> tree.stream().noneMatch(ChildProcess::isRunning),
                () -> "descendants of " + name + " survive kill -9");
    }

    /** On a busy machine, threads go on for a while after the signal. */
    private void awaitFrozen(List<ProcessHandle> tree) {
        Waiting.until(
                FROZEN_AFTER_STOP,
                PAUSE,
                () -> tree.stream().noneMatch(ChildProcess::hasRunningThread),
                () -> name + " was told to freeze and goes on");
    }

    /** Where the system does not say it, a thread counts as frozen. */
    private static boolean hasRunningThread(ProcessHandle member) {
        File[] threads = new File("/proc/" + member.pid() + "/task").listFiles();
        return threads != null && Stream.of(threads).anyMatch(ChildProcess::isRunning);
    }

    private static boolean isRunning(File thread) {
        try {
            String status = Files.readString(thread.toPath().resolve("stat"));
            char state = status.charAt(status.lastIndexOf(')') + 2);
            return "TtDZX".indexOf(state) < 0; // frozen, in a call after which it will be, or ended
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    /**
     * An orphan that its new parent has not collected yet counts as alive in Java, but has no
     * command any more.
     */
    private static boolean isRunning(ProcessHandle member) {
        return member.isAlive() && member.info().command().isPresent();
    }
}
