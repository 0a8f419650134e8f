package dev.envelope.idempotency;

import dev.envelope.core.Recurring;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.DeletedKeys;
import dev.envelope.idempotency.store.Purged;
import dev.envelope.idempotency.store.reply.ReplyStore;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Purges the rows of keys that were deleted long ago, and old answers to commands: a slice per pass
 * while there is more, otherwise it looks again after some seconds.
 *
 * <p>Threads: one thread.
 */
final class Purging implements Recurring.Work {

    private static final Logger log = LoggerFactory.getLogger(Purging.class);
    private static final Duration LOOKS_EVERY = Duration.ofSeconds(10);

    private static final int ANSWERS_AT_A_TIME = 1_000;

    private final DeletedKeys deleted;
    private final ReplyStore replies;
    private final Duration repliesRetention;
    private final Telemetry telemetry;
    private final LongSupplier nanoTime;
    private long notBefore;

    Purging(
            DeletedKeys deleted,
            ReplyStore replies,
            Duration repliesRetention,
            Telemetry telemetry,
            LongSupplier nanoTime) {
        this.replies = replies;
        this.repliesRetention = repliesRetention;
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
            int forgotten = replies.forget(repliesRetention, ANSWERS_AT_A_TIME);
            return purged.goesOn() || forgotten == ANSWERS_AT_A_TIME;
        } catch (UnavailableException e) {
            log.debug("the database does not serve; nothing was purged: {}", e.getMessage());
            return false; // the engine reports it, if it lasts
        }
    }
}
