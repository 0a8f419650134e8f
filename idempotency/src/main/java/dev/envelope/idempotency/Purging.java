package dev.envelope.idempotency;

import dev.envelope.core.Recurring;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.DeletedKeys;
import dev.envelope.idempotency.store.Purged;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Purges the rows of keys that were deleted long ago: a slice per pass while there is more,
 * otherwise it looks again after some seconds.
 *
 * <p>Threads: one thread.
 */
final class Purging implements Recurring.Work {

    private static final Logger log = LoggerFactory.getLogger(Purging.class);
    private static final Duration LOOKS_EVERY = Duration.ofSeconds(10);

    private final DeletedKeys deleted;
    private final Telemetry telemetry;
    private final LongSupplier nanoTime;
    private long notBefore;

    Purging(DeletedKeys deleted, Telemetry telemetry, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.notBefore = nanoTime.getAsLong();
        this.deleted = deleted;
        this.telemetry = telemetry;
    }

    @Override
    public boolean turn() {
        if (nanoTime.getAsLong() - notBefore >= 0 && !purgesMore()) {
            notBefore = nanoTime.getAsLong() + LOOKS_EVERY.toNanos();
        }
        return false; // one slice per interval, not all at once
    }

    private boolean purgesMore() {
        try {
            Purged purged = deleted.purgeSome();
            telemetry.purged(purged.rows());
            return purged.goesOn();
        } catch (UnavailableException e) {
            log.debug("the database does not serve; nothing was purged: {}", e.getMessage());
            return false; // the engine reports it, if it lasts
        }
    }
}
