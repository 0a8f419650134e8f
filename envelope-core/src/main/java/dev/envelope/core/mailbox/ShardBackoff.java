package dev.envelope.core.mailbox;

import dev.envelope.core.api.FailurePolicy;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long a shard takes nothing up: after the store could not serve, or while there is no room for
 * results.
 *
 * <p>Threads: actor, one at a time (the shard's runner).
 */
final class ShardBackoff {

    private static final Duration INITIAL = Duration.ofMillis(50);
    private static final Duration MAX = Duration.ofSeconds(5);

    /** A shard looks for room this often, with one turn. */
    private static final Duration CROWDED = Duration.ofMillis(50);

    private int failures;
    private long until;
    private boolean isCrowded;
    private long crowdedUntil;

    /**
     * Counts once for all envelopes of a turn: while the back-off holds, nothing more is counted.
     */
    void failed(long now, RandomGenerator random) {
        if (isStoreOut(now)) {
            return;
        }
        failures++;
        until = now + FailurePolicy.backoff(INITIAL, MAX, failures, random).toNanos();
    }

    void served() {
        failures = 0;
    }

    /** There is no room for results. */
    void crowded(long now) {
        isCrowded = true;
        crowdedUntil = now + CROWDED.toNanos();
    }

    boolean holds(long now) {
        return isStoreOut(now) || isCrowded(now);
    }

    /** Whether it waits for the store, which will be asked again whatever happens. */
    boolean isStoreOut(long now) {
        return failures > 0 && now < until;
    }

    private boolean isCrowded(long now) {
        return isCrowded && now < crowdedUntil;
    }

    /** When it ends, while it holds. */
    long until(long now) {
        if (isStoreOut(now) && isCrowded(now)) {
            return Math.max(until, crowdedUntil);
        }
        return isCrowded(now) ? crowdedUntil : until;
    }
}
