package dev.envelope.core.mailbox;

import dev.envelope.core.api.FailurePolicy;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long a shard does not call the store after it could not serve.
 *
 * <p>Threads: actor, one at a time (the shard's runner).
 */
final class StoreBackoff {

    private static final Duration INITIAL = Duration.ofMillis(50);
    private static final Duration MAX = Duration.ofSeconds(5);

    private int failures;
    private long until;

    /**
     * Counts once for all envelopes of a turn: while the back-off holds, nothing more is counted.
     */
    void failed(long now, RandomGenerator random) {
        if (holds(now)) {
            return;
        }
        failures++;
        until = now + FailurePolicy.backoff(INITIAL, MAX, failures, random).toNanos();
    }

    void served() {
        failures = 0;
    }

    boolean holds(long now) {
        return failures > 0 && now < until;
    }

    long until() {
        return until;
    }
}
