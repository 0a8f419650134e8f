package dev.envelope.idempotency.command;

import dev.envelope.core.Recurring;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread that runs what others give it, and a pass behind that. It sleeps while there is nothing
 * to run and no pass is due.
 *
 * <p>Threads: thread-safe.
 */
final class OwnThread implements Executor, AutoCloseable {

    /** For passes that are due only when something was run. */
    static final long NOT_DUE = Long.MAX_VALUE;

    /** Of nothing, a pause would be the longest that there is. */
    private static final Duration PAUSE_BEHIND_AN_ERROR = Duration.ofMillis(20);

    private final LinkedBlockingQueue<Runnable> given = new LinkedBlockingQueue<>();
    private final LongSupplier pass;
    private final Recurring thread;
    private volatile boolean isClosing;
    private long nanosToPass = NOT_DUE; // its thread only

    /**
     * Starts it.
     *
     * @param pass returns in how many nanoseconds it is due again
     * @param atEnd runs behind all that was given to it before it was closed
     */
    OwnThread(String name, LongSupplier pass, Runnable atEnd) {
        this.pass = pass;
        this.thread =
                Recurring.start(
                        name,
                        PAUSE_BEHIND_AN_ERROR,
                        this::turn,
                        () -> {
                            runGiven(given.poll());
                            atEnd.run();
                        });
    }

    /**
     * One for what blocks.
     *
     * @param place that it asks; empty if there is only one
     */
    static OwnThread looker(String name, String place) {
        return new OwnThread(place.isEmpty() ? name : name + "-" + place, () -> NOT_DUE, () -> {});
    }

    private boolean turn() {
        runGiven(next());
        nanosToPass = pass.getAsLong();
        return true;
    }

    private @Nullable Runnable next() {
        try {
            return isClosing ? given.poll() : given.poll(nanosToPass, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) { // sent by mistake; only a close ends it
            return given.poll();
        }
    }

    private void runGiven(@Nullable Runnable first) {
        for (Runnable each = first; each != null; each = given.poll()) {
            each.run();
        }
    }

    @Override
    public void execute(Runnable work) {
        given.add(work);
    }

    /** Lets it end, and does not wait for that. */
    void stop() {
        isClosing = true;
        given.add(() -> {});
        thread.stop();
    }

    @Override
    public void close() {
        close(List.of(this));
    }

    /** Closes all of them, and waits for them together: for no longer than for one. */
    static void close(Collection<OwnThread> all) {
        all.forEach(OwnThread::stop);
        Recurring.close(all.stream().map(it -> it.thread).toList());
    }
}
