package dev.envelope.core.mailbox;

import dev.envelope.core.api.Words;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs that keys wait for another version of the handler: the first key at once, then how many
 * there are, after ten seconds and every minute.
 *
 * <p>Threads: thread-safe (guarded by this).
 */
final class UnreadStates {

    private static final Logger log = LoggerFactory.getLogger(UnreadStates.class);
    private static final long SOON_NANOS = Duration.ofSeconds(10).toNanos();
    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

    /** What waits is tried at least this often. */
    private static final long TRIED_EVERY_NANOS = Duration.ofSeconds(15).toNanos();

    /**
     * Those tried since the last line; the set needs no limit, since their shards hold them anyway.
     */
    private final Set<String> keys = new HashSet<>();

    private int lines; // since the first key has waited
    private long saidAt;
    private long triedAt;

    /**
     * A key's state can't be read by this version.
     *
     * @param atMost how long it waits
     */
    synchronized void waits(String key, Throwable cause, Duration atMost, long now) {
        if (lines > 0 && now - triedAt > TRIED_EVERY_NANOS) {
            lines = 0;
            keys.clear();
        }
        triedAt = now;
        keys.add(key);
        if (lines == 0) {
            log.warn(
                    "key {} waits, and so does each whose state is like that: {}. A key waits for a"
                            + " process that can read its state, {} s at most"
                            + " (other.version.wait.max), and then stops its partition",
                    Words.quote(key),
                    Words.describeInFull(cause),
                    atMost.toSeconds());
        } else if (now - saidAt >= (lines == 1 ? SOON_NANOS : MINUTE_NANOS)) {
            log.warn(
                    "{} for a process that can read their state; last key {}: {}",
                    Words.counted(keys.size(), "key waits", "keys wait"),
                    Words.quote(key),
                    Words.describeInFull(cause));
        } else {
            return;
        }
        lines++;
        saidAt = now;
        keys.clear();
    }
}
