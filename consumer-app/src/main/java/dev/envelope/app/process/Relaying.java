package dev.envelope.app.process;

import dev.envelope.idempotency.outbox.Relay;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers what waits in the outbox, while the process runs.
 *
 * <p>Threads: one of its own; it may be closed by any other.
 */
final class Relaying {

    private static final Logger log = LoggerFactory.getLogger(Relaying.class);

    /** An idle outbox costs a query that often. */
    private static final long LOOK_EVERY_MILLIS = 500;

    private static final long AFTER_A_FAULT_MILLIS = 30_000;
    private static final long CLOSE_MILLIS = 5_000;

    private final Relay relay;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "envelope-relay");

    private Relaying(Relay relay) {
        this.relay = relay;
    }

    static Relaying of(Relay relay) {
        Relaying relaying = new Relaying(relay);
        relaying.thread.setDaemon(true); // a broker that never answers must not keep the process
        relaying.thread.start();
        return relaying;
    }

    private void run() {
        try {
            long pause = LOOK_EVERY_MILLIS;
            while (!closed.await(pause, TimeUnit.MILLISECONDS)) {
                pause = turns() ? LOOK_EVERY_MILLIS : AFTER_A_FAULT_MILLIS;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        relay.leave();
    }

    private boolean turns() {
        try {
            while (closed.getCount() > 0 && relay.turn()) {
                // One after the other, as long as there is something to deliver.
            }
            return true;
        } catch (RuntimeException e) { // the one catch-all of this thread
            log.error("the outbox could not be read; it is tried again in 30 s", e);
            return false;
        }
    }

    /** Waits for what is under way, for a while; the rest is delivered by whoever runs next. */
    void close() {
        closed.countDown();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
