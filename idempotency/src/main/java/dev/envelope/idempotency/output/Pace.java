package dev.envelope.idempotency.output;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.FailurePolicy;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * When the relay measures what waits, and how long it rests after Kafka has failed.
 *
 * <p>Threads: one thread, the relay's.
 */
final class Pace {

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration REST = Duration.ofMillis(500);
    private static final Duration LONGEST_REST = Duration.ofSeconds(10);

    private final Ticker ticker;
    private final RandomGenerator random;
    private long nextLook;
    private int failuresInARow;
    private long restsUntil;

    Pace(Ticker ticker, RandomGenerator random) {
        this.ticker = ticker;
        this.random = random;
        this.nextLook = ticker.nanoTime();
    }

    /** Whether to look now; then not again for a second. */
    boolean isTimeToLook() {
        long now = ticker.nanoTime();
        if (now - nextLook < 0) {
            return false;
        }
        nextLook = now + LOOK_EVERY.toNanos();
        return true;
    }

    boolean isResting() {
        return failuresInARow > 0 && ticker.nanoTime() - restsUntil < 0;
    }

    void failed() {
        failuresInARow++;
        Duration rest = FailurePolicy.backoff(REST, LONGEST_REST, failuresInARow, random);
        restsUntil = ticker.nanoTime() + rest.toNanos();
    }

    void works() {
        failuresInARow = 0;
    }
}
