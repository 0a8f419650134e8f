package dev.envelope.core;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that repeats, on a thread of its own: at once while there is more to do, after a pause when
 * there is not, and after a longer pause when it threw. Neither an exception nor an interrupt ends
 * it; only {@link #close} does.
 *
 * <p>Threads: its own thread calls the work; any thread may wake it, read the status and close it.
 */
public final class Recurring implements AutoCloseable {

    /** One pass of the work. */
    @FunctionalInterface
    public interface Work {

        /** Does one pass; returns whether there is more to do at once. */
        boolean turn();
    }

    /**
     * How many passes there were, and whether the last one failed.
     *
     * @param failures passes that threw, since the start
     * @param trouble what the last pass threw, as text; empty if it did not
     */
    public record Status(String name, long turns, long failures, String trouble) {

        public boolean isFailing() {
            return !trouble.isEmpty();
        }
    }

    private static final Logger log = LoggerFactory.getLogger(Recurring.class);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final Duration END = Duration.ofSeconds(5);

    private final String name;
    private final Duration pause;
    private final Work work;
    private final Runnable atEnd;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Semaphore wakes = new Semaphore(0);
    private final AtomicLong turns = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile String trouble = "";
    private int failuresInARow; // its thread only

    private Recurring(String name, Duration pause, Work work, Runnable atEnd) {
        this.name = name;
        this.atEnd = atEnd;
        this.pause = pause;
        this.work = work;
        this.thread = new Thread(this::run, "envelope-" + name);
        thread.setDaemon(true); // a server that never answers must not keep the process alive
    }

    /**
     * Starts to call the work, the first time after a pause.
     *
     * @param name of the work, which its thread is named after
     * @param pause between passes, when there is no more to do
     */
    public static Recurring start(String name, Duration pause, Work work) {
        return start(name, pause, work, () -> {});
    }

    /**
     * The same, with a last task.
     *
     * @param atEnd runs on its thread at the end
     */
    public static Recurring start(String name, Duration pause, Work work, Runnable atEnd) {
        Recurring recurring = new Recurring(name, pause, work, atEnd);
        recurring.thread.start();
        return recurring;
    }

    private void run() {
        Duration next = pause;
        try {
            while (!isClosedWithin(next)) {
                next = turn();
            }
            atEnd.run();
        } finally {
            ended.complete(null);
        }
    }

    private boolean isClosedWithin(Duration time) {
        try {
            if (failuresInARow > 0) {
                return closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
            }
            boolean woken = wakes.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS);
            return woken && isClosed();
        } catch (InterruptedException e) { // left behind by user code, or sent by mistake
            return isClosed();
        }
    }

    /** One pass; returns how long to wait for the next. */
    private Duration turn() {
        try {
            boolean more = work.turn();
            turns.incrementAndGet();
            if (failuresInARow > 0) {
                log.info("{}: works again", name);
            }
            failuresInARow = 0;
            trouble = "";
            return more ? Duration.ZERO : pause;
        } catch (RuntimeException | Error e) { // the one catch-all of this thread
            failed(e);
            long longer = pause.toNanos() << Math.min(failuresInARow, 20);
            return longer <= 0 || longer > LONGEST_PAUSE.toNanos()
                    ? LONGEST_PAUSE
                    : Duration.ofNanos(longer);
        }
    }

    private void failed(Throwable thrown) {
        failures.incrementAndGet();
        String words = String.valueOf(thrown);
        if (!words.equals(trouble)) {
            log.error("{}: a pass failed; it is tried again", name, thrown);
        }
        trouble = words;
        failuresInARow++;
        if (thrown instanceof OutOfMemoryError) { // the process may have to end
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
    }

    /**
     * Ends the pause between two passes: there is something to do. During a pass it makes the next
     * one follow at once. The pause after a failed pass lasts all the same.
     */
    public void wake() {
        if (wakes.availablePermits() == 0) { // however many there are, one more pass is enough
            wakes.release();
        }
    }

    /** Whether it is to end; a pass of many steps checks this in between. */
    public boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** The counts so far, and the last failure. */
    public Status status() {
        return new Status(name, turns.get(), failures.get(), trouble);
    }

    /** Starts no more passes; one that is running goes on. */
    public void stop() {
        closed.countDown();
        wakes.release();
    }

    /** Starts no more passes; waits some seconds for one that is running. */
    @Override
    public void close() {
        close(List.of(this));
    }

    /** Closes all of them, and waits for them together: for no longer than for one. */
    public static void close(Collection<Recurring> all) {
        close(all, END);
    }

    static void close(Collection<Recurring> all, Duration patience) {
        all.forEach(Recurring::stop);
        try {
            CompletableFuture.allOf(
                            all.stream().map(it -> it.ended).toArray(CompletableFuture[]::new))
                    .get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException asMayBe) {
            // It waits for a server. Its thread does not keep the process alive.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // nothing completes it with one
        }
    }
}
