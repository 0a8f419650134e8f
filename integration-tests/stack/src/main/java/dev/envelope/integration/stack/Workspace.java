package dev.envelope.integration.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * A temporary folder and the processes that live in it: when it is closed, they are killed and it
 * is deleted.
 *
 * <p>The same happens when this JVM ends without closing it, however it ends.
 *
 * <p>Threads: thread-safe (concurrent collections, and an atomic flag that lets one caller close).
 */
public final class Workspace implements AutoCloseable {

    private static final Duration ENDS_WITHIN = Duration.ofMinutes(1);

    private final Path folder;
    private final Reaper reaper;
    private final Thread hook = new Thread(this::shutDown, "workspace-shutdown");
    private final Deque<ChildProcess> processes = new ConcurrentLinkedDeque<>();
    private final Deque<Runnable> beforeShutdown = new ConcurrentLinkedDeque<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);

    private Workspace(Path folder, Reaper reaper) {
        this.folder = folder;
        this.reaper = reaper;
    }

    /** Makes the folder, in the system's temporary one. */
    public static Workspace open() {
        try {
            Path folder = Files.createTempDirectory("envelope-stack-");
            Workspace workspace = new Workspace(folder, Reaper.of(folder));
            Files.createDirectories(workspace.temporaryFolder());
            Files.createDirectories(folder.resolve("logs"));
            Runtime.getRuntime().addShutdownHook(workspace.hook);
            return workspace;
        } catch (IOException e) {
            throw new UncheckedIOException("no temporary folder for the local stack", e);
        }
    }

    /** The folder, deleted at the end. */
    public Path folder() {
        return folder;
    }

    /**
     * Where the processes keep what they would otherwise leave in the system's temporary folder.
     */
    public Path temporaryFolder() {
        return folder.resolve("tmp");
    }

    /**
     * The log of the process of that name: all that it writes to its output and its error output.
     */
    public Path log(String name) {
        return folder.resolve("logs").resolve(name + ".log");
    }

    /** Copies the logs of all processes into that folder, which is made. */
    public void copyLogs(Path to) {
        try (Stream<Path> files = Files.list(folder.resolve("logs"))) {
            Files.createDirectories(to);
            for (Path file : files.toList()) {
                Files.copy(
                        file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the logs can't be copied to " + to, e);
        }
    }

    /**
     * Starts a process of this workspace.
     *
     * @param name names its log file; a process of the same name appends to it
     */
    public ChildProcess start(String name, List<String> command) {
        if (closed.get()) {
            throw new IllegalStateException("the workspace is closed: " + folder);
        }
        ChildProcess process = ChildProcess.start(name, command, this, reaper);
        processes.removeIf(earlier -> !earlier.isAlive());
        processes.addFirst(process);
        return process;
    }

    /** Starts a JVM of this workspace. */
    public ChildProcess start(String name, JavaCommand command) {
        return start(name, command.with("java.io.tmpdir", temporaryFolder().toString()).line());
    }

    /**
     * Has {@code action} run when this JVM shuts down, before the processes are killed: the last
     * one added first.
     *
     * <p>For an orderly end, such as a consumer that drains while its servers are still up.
     */
    public void beforeShutdown(Runnable action) {
        beforeShutdown.addFirst(action);
    }

    /** Kills what still runs, the youngest first, and deletes the folder. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            dropHook();
            end();
        }
    }

    private void shutDown() {
        for (Runnable action : beforeShutdown) {
            action.run();
        }
        if (closed.compareAndSet(false, true)) {
            end();
        } else {
            awaitEnd(); // this JVM is gone when its hooks are done, whatever another thread is at
        }
    }

    private void end() {
        try {
            processes.forEach(ChildProcess::kill);
        } finally {
            finish();
        }
    }

    private void awaitEnd() {
        try {
            var unused = ended.await(ENDS_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void finish() {
        try {
            reaper.finish();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
        }
    }

    private void dropHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // The hook runs by now, will find the workspace closed, and do nothing.
        }
    }
}
