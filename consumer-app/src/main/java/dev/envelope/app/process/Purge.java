package dev.envelope.app.process;

import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.Purged;
import dev.envelope.idempotency.store.postgres.DeletedRows;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes rows of keys that were deleted long ago away, bit by bit, while the process runs.
 *
 * <p>Threads: one of its own; it may be closed by any other.
 */
final class Purge {

    private static final Logger log = LoggerFactory.getLogger(Purge.class);

    private static final long BETWEEN_SLICES_MILLIS = 200;
    private static final long BETWEEN_LOOKS_MILLIS = 10_000;
    private static final long CLOSE_MILLIS = 5_000;

    private final DeletedRows rows;
    private final Telemetry telemetry;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "envelope-purge");

    private Purge(DeletedRows rows, Telemetry telemetry) {
        this.rows = rows;
        this.telemetry = telemetry;
    }

    static Purge of(DeletedRows rows, Telemetry telemetry) {
        Purge purge = new Purge(rows, telemetry);
        purge.thread.setDaemon(true);
        purge.thread.start();
        return purge;
    }

    private void run() {
        try {
            long pause = BETWEEN_SLICES_MILLIS;
            while (!closed.await(pause, TimeUnit.MILLISECONDS)) {
                pause = some() ? BETWEEN_SLICES_MILLIS : BETWEEN_LOOKS_MILLIS;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) { // the one catch-all of this thread
            log.error("rows of deleted keys are not purged any more: restart the process", e);
        }
    }

    private boolean some() {
        try {
            Purged purged = rows.purgeSome();
            telemetry.purged(purged.rows());
            return purged.goesOn();
        } catch (UnavailableException e) {
            log.debug("the database does not serve; nothing was purged: {}", e.getMessage());
            return false; // the engine says so, if it lasts
        }
    }

    /** Waits for the slice that is being looked at. */
    void close() {
        closed.countDown();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
