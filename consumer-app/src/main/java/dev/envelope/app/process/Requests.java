package dev.envelope.app.process;

import dev.envelope.core.mailbox.FoldWatch;
import dev.envelope.idempotency.redrive.RequestDesk;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what operators ask for, while the process runs. A handler that stays too long at a
 * message which is redriven is interrupted, as with any other.
 *
 * <p>Threads: one of its own, and one that watches it; it may be closed by any other.
 */
final class Requests {

    private static final Logger log = LoggerFactory.getLogger(Requests.class);

    /** An operator waits for the answer. */
    private static final long LOOK_EVERY_MILLIS = 500;

    private static final long CLOSE_MILLIS = 5_000;

    private final RequestDesk<?> desk;
    private final Duration handlerTimeout;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "envelope-requests");

    private Requests(RequestDesk<?> desk, Duration handlerTimeout) {
        this.desk = desk;
        this.handlerTimeout = handlerTimeout;
    }

    static Requests carriedOutBy(RequestDesk<?> desk, Duration handlerTimeout) {
        Requests requests = new Requests(desk, handlerTimeout);
        requests.thread.setDaemon(true); // a handler that never returns must not keep the process
        requests.thread.start();
        return requests;
    }

    private void run() {
        FoldWatch watch = new FoldWatch(handlerTimeout);
        Thread watchdog = new Thread(() -> watch(watch), "envelope-requests-watch");
        watchdog.setDaemon(true);
        watchdog.start();
        try {
            while (!closed.await(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
                while (desk.turn(watch) && closed.getCount() > 0) {
                    // One after the other, as long as there are any.
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (OutOfMemoryError e) {
            throw e; // ends the process
        } catch (RuntimeException | Error e) { // the one catch-all of this thread
            log.error("requests are not carried out any more: restart the process", e);
        }
    }

    private void watch(FoldWatch watch) {
        try {
            while (!closed.await(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
                look(watch);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void look(FoldWatch watch) {
        switch (watch.look(System.nanoTime())) {
            case INTERRUPTED ->
                    log.warn(
                            "{} has been at message {}, which is redriven, for longer than"
                                    + " handler.timeout: it was interrupted",
                            watch.handler().getName(),
                            watch.underWay(),
                            watch.whereItIs());
            case STUCK ->
                    log.error(
                            "{} does not heed the interrupt: this process carries out no more"
                                    + " requests until it is restarted",
                            watch.handler().getName(),
                            watch.whereItIs());
            case NOTHING -> {}
        }
    }

    /** Waits for the request that is being carried out, for a while. */
    void close() {
        closed.countDown();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        desk.leave();
    }
}
