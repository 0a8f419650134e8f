package dev.envelope.app.process;

import dev.envelope.idempotency.redrive.RequestDesk;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what operators ask for, while the process runs.
 *
 * <p>Threads: one of its own; it may be closed by any other.
 */
final class Requests {

    private static final Logger log = LoggerFactory.getLogger(Requests.class);

    /** An operator waits for the answer. */
    private static final long LOOK_EVERY_MILLIS = 500;

    private static final long CLOSE_MILLIS = 5_000;

    private final RequestDesk<?> desk;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "envelope-requests");

    private Requests(RequestDesk<?> desk) {
        this.desk = desk;
    }

    static Requests carriedOutBy(RequestDesk<?> desk) {
        Requests requests = new Requests(desk);
        requests.thread.setDaemon(true); // a handler that never returns must not keep the process
        requests.thread.start();
        return requests;
    }

    private void run() {
        try {
            while (!closed.await(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
                while (desk.turn() && closed.getCount() > 0) {
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
