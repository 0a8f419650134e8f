package dev.envelope.core.mailbox;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether rows can be saved at all. Of many workers some may meet a lock or a lost connection while
 * others save; it is an outage when nobody has saved anything for a while. The database may answer
 * all the same, and take checkpoints: when its disk is full, or a right on one table is missing.
 *
 * <p>Threads: workers tell it (guarded by this), anybody asks (volatile).
 */
final class StoreHealth {

    private static final Logger log = LoggerFactory.getLogger(StoreHealth.class);
    private static final long OUTAGE_NANOS = Duration.ofSeconds(1).toNanos();

    /** A full disk takes rows that have room in their page. */
    private static final long PARTLY_NANOS = Duration.ofSeconds(5).toNanos();

    /** Each worker may meet another problem of the same cause. */
    private static final long SAID_EVERY_NANOS = Duration.ofSeconds(30).toNanos();

    /** What waits is tried at least so often; who tries no more has nothing left to save. */
    private static final long TRIED_EVERY_NANOS = Duration.ofSeconds(15).toNanos();

    private volatile boolean isFailing;
    private volatile long failedAt;
    private volatile @Nullable String said;
    private long failingSince;
    private long saidAt;

    /** The same of some rows, while others are saved. */
    private long partlySince;

    private long partlySaidAt = Long.MIN_VALUE / 2;

    /** Something was saved. */
    void served() {
        if (isFailing) {
            recovered();
        }
    }

    private synchronized void recovered() {
        isFailing = false;
        if (said != null) {
            said = null;
            log.info("saving rows: works again");
        }
    }

    /** Something could not be saved, or loaded. */
    synchronized void failed(long now, Throwable cause) {
        if (!isFailing || isForgotten(now)) {
            isFailing = true;
            failingSince = now;
            said = null;
        }
        if (isForgotten(now)) {
            partlySince = now;
        }
        failedAt = now;
        String message = String.valueOf(cause.getMessage());
        boolean isNews =
                said == null || (!message.equals(said) && now - saidAt >= SAID_EVERY_NANOS);
        if (now - failingSince >= OUTAGE_NANOS && isNews) {
            said = message;
            saidAt = now;
            log.warn("saving rows: {}; trying again", message);
        } else if (said == null
                && now - partlySince >= PARTLY_NANOS
                && now - partlySaidAt >= SAID_EVERY_NANOS) {
            partlySaidAt = now;
            log.warn("saving some rows, while others are saved: {}; trying again", message);
        }
    }

    private boolean isForgotten(long now) {
        return now - failedAt > TRIED_EVERY_NANOS;
    }

    /** Whether nobody has saved anything for a while, though it is tried. */
    boolean isOut(long now) {
        return said != null && !isForgotten(now);
    }
}
