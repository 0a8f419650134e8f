package dev.envelope.app.prepare;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes later starts faster: calls {@code bin/envelope prepare} once the process is nearly idle, if
 * the program runs from its unpacked release and that was not done for this Java yet. One process
 * of a folder does it. A failure is logged once, and the next start tries again.
 *
 * <p>Threads: a thread of its own waits and calls; any thread may close it.
 */
public final class StartPreparation implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("envelope");

    private static final Duration LOOK_EVERY = Duration.ofSeconds(30);

    /** CPU time between two checks: a tenth of one core; an idle consumer uses far less. */
    private static final Duration LITTLE = Duration.ofSeconds(3);

    /** Twice the memory that it was measured to take. */
    private static final long ROOM_BYTES = 1L << 30;

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /** If the machine is short of CPU or memory, this child waits, or is killed first. */
    private static final String AT_LOWEST_PRIORITY =
            """
            echo 1000 > /proc/self/oom_score_adj
            command -v nice && exec nice -n 19 "$0" prepare
            exec "$0" prepare
            """;

    /** Variables that would attach this JVM's debugger or agents to the child, too. */
    private static final List<String> OF_THIS_JVM =
            List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS");

    private final SharedClasses shared;
    private final Duration lookEvery;
    private final Supplier<Duration> cpuTime;
    private final LongSupplier freeBytes;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable Process child;

    /**
     * @param cpuTime that this process has used since its start
     * @param freeBytes of memory
     */
    StartPreparation(
            SharedClasses shared,
            Duration lookEvery,
            Supplier<Duration> cpuTime,
            LongSupplier freeBytes) {
        this.shared = shared;
        this.lookEvery = lookEvery;
        this.cpuTime = cpuTime;
        this.freeBytes = freeBytes;
    }

    /** Starts the thread, if a preparation is wanted and needed. */
    public static Optional<StartPreparation> begin(boolean isWanted) {
        return SharedClasses.ofThisProcess()
                .filter(shared -> isWanted && isOpen(shared))
                .map(StartPreparation::begun);
    }

    private static StartPreparation begun(SharedClasses shared) {
        StartPreparation preparation =
                new StartPreparation(
                        shared, LOOK_EVERY, StartPreparation::cpuTime, FreeMemory::bytes);
        Thread thread = new Thread(preparation::run, "envelope-prepare");
        thread.setDaemon(true);
        thread.start();
        return preparation;
    }

    /** Whether a preparation is needed and possible. */
    static boolean isOpen(SharedClasses shared) {
        if (shared.areThere()) {
            return false;
        }
        if (!Files.isWritable(shared.folder())) {
            log.debug("later starts are not prepared: {} can't be written to", shared.folder());
            return false;
        }
        return true;
    }

    /** The CPU time of this process; if unknown, that of one that is always busy. */
    private static Duration cpuTime() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .orElseGet(() -> Duration.ofNanos(System.nanoTime()));
    }

    /** Waits until the process is idle, and prepares. */
    void run() {
        try {
            if (isIdleBeforeItIsClosed()) {
                prepareAlone();
            }
        } catch (IOException | RuntimeException e) { // the one catch-all of this thread
            failed(String.valueOf(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isIdleBeforeItIsClosed() throws InterruptedException {
        Duration before = cpuTime.get();
        while (!closed.await(lookEvery.toNanos(), TimeUnit.NANOSECONDS)) {
            Duration now = cpuTime.get();
            if (now.minus(before).compareTo(LITTLE) < 0 && freeBytes.getAsLong() >= ROOM_BYTES) {
                return true;
            }
            before = now;
        }
        return false;
    }

    private void prepareAlone() throws IOException, InterruptedException {
        try (FileChannel file =
                        FileChannel.open(
                                shared.lock(),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                @Nullable FileLock lock = file.tryLock()) {
            if (lock == null) {
                log.debug("another process prepares later starts");
            } else if (isOpen(shared)) { // another process may have done it meanwhile
                prepare();
            }
        } catch (OverlappingFileLockException e) {
            log.debug("this process prepares later starts already");
        }
    }

    private void prepare() throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(
                                "/bin/sh", "-c", AT_LOWEST_PRIORITY, shared.launcher().toString())
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().keySet().removeAll(OF_THIS_JVM);
        Process its = builder.start();
        child = its;
        boolean isInTime =
                closed.getCount() > 0 && its.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        end(its);
        if (closed.getCount() == 0) {
            log.debug("the preparation of later starts is given up: the process ends");
        } else if (isInTime && shared.areThere()) {
            log.info("later starts will be quicker: their classes are in {}", shared.folder());
        } else {
            failed(isInTime ? "it ended with " + its.exitValue() : "it took too long");
        }
    }

    private void failed(String why) {
        log.warn(
                "later starts could not be prepared: {}; {} prepare shows why, start.prepare=false"
                        + " turns this off",
                why,
                shared.launcher());
    }

    private static void end(Process its) {
        List<ProcessHandle> below = its.descendants().toList();
        its.destroy(); // the shell first: it cleans up once its child is gone
        below.forEach(ProcessHandle::destroyForcibly);
    }

    /** Ends a preparation that is under way. */
    @Override
    public void close() {
        closed.countDown();
        @Nullable Process its = child;
        if (its != null) {
            end(its);
        }
    }
}
