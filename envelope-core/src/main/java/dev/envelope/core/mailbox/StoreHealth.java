package dev.envelope.core.mailbox;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether rows can be saved at all. Some workers may meet a lock or a lost connection while others
 * save; it is an outage when no worker has saved anything for a while. The database may still
 * answer and take checkpoints, for instance when its disk is full or a privilege on one table is
 * missing.
 *
 * <p>Threads: workers write it (guarded by this), any thread reads it (volatile).
 */
final class StoreHealth {

    private static final Logger log = LoggerFactory.getLogger(StoreHealth.class);
    private static final long OUTAGE_NANOS = Duration.ofSeconds(1).toNanos();

    /**
     * Longer than an outage takes to be seen: on a full disk, rows with room in their page can
     * still be saved.
     */
    private static final long PARTLY_NANOS = Duration.ofSeconds(5).toNanos();

    /**
     * Between two warnings with different messages: workers may meet different problems of the same
     * cause.
     */
    private static final long SAID_EVERY_NANOS = Duration.ofSeconds(30).toNanos();

    /**
     * What waits is tried at least this often; without a further try there is nothing left to save.
     */
    private static final long TRIED_EVERY_NANOS = Duration.ofSeconds(15).toNanos();

    /**
     * Since then all attempts to save have failed.
     *
     * @param said the message that was logged last, or null
     */
    private record Failing(long since, @Nullable String said, long saidAt) {}

    private volatile @Nullable Failing failing; // null while something is saved
    private volatile long failedAt;

    /** Some rows could not be saved since then, while others were. */
    private long partlySince;

    private long partlySaidAt = Long.MIN_VALUE / 2;

    /** Something was saved. */
    void served() {
        if (failing != null) {
            recovered();
        }
    }

    private synchronized void recovered() {
        Failing before = failing;
        failing = null;
        if (before != null && before.said() != null) {
            log.info("saving rows: works again");
        }
    }

    /** Something could not be saved, or loaded. */
    synchronized void failed(long now, Throwable cause) {
        Failing before = failing;
        if (isForgotten(now)) {
            before = null;
            partlySince = now;
        }
        Failing at = before == null ? new Failing(now, null, now) : before;
        failedAt = now;
        String message = String.valueOf(cause.getMessage());
        boolean isNews =
                at.said() == null
                        || (!message.equals(at.said()) && now - at.saidAt() >= SAID_EVERY_NANOS);
        if (now - at.since() >= OUTAGE_NANOS && isNews) {
            at = new Failing(at.since(), message, now);
            log.warn("saving rows: {}; trying again", message);
        } else if (at.said() == null
                && now - partlySince >= PARTLY_NANOS
                && now - partlySaidAt >= SAID_EVERY_NANOS) {
            partlySaidAt = now;
            log.warn("saving some rows, while others are saved: {}; trying again", message);
        }
        failing = at;
    }

    private boolean isForgotten(long now) {
        return now - failedAt > TRIED_EVERY_NANOS;
    }

    /** Whether all attempts to save have failed for a while. */
    boolean isOut(long now) {
        Failing at = failing;
        return at != null && at.said() != null && !isForgotten(now);
    }
}
