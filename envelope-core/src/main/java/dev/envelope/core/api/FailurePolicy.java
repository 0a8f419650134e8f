package dev.envelope.core.api;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * What happens to a message whose fold fails: how often it is tried, how long its key waits between
 * attempts, and what comes after the last.
 *
 * @param maxAttempts at least one
 * @param initialBackoff the wait after the first failed attempt; it doubles with each
 * @param maxBackoff the longest wait
 * @param last what is done after the last attempt
 */
public record FailurePolicy(
        int maxAttempts, Duration initialBackoff, Duration maxBackoff, Last last) {

    /** What is done with a message after its last attempt. */
    public enum Last {
        /** Its partition stops, without committing past it. */
        STOP,
        /** It is set aside, and all that comes after it of its key, until a person decides. */
        PARK,
        /** It alone is put out as a dead letter, and its key goes on. */
        DEAD_LETTER
    }

    public FailurePolicy {
        if (maxAttempts < 1 || initialBackoff.isNegative() || maxBackoff.isNegative()) {
            throw new IllegalArgumentException("attempts and back-off must be positive");
        }
    }

    /**
     * How long to wait after so many failed attempts: doubling, capped, with jitter of a quarter.
     */
    public Duration backoff(int failedAttempts, RandomGenerator random) {
        return backoff(initialBackoff, maxBackoff, failedAttempts, random);
    }

    /** The same for failures that are nobody's fault. */
    public static Duration backoff(
            Duration initial, Duration max, int failures, RandomGenerator random) {
        long doubled = initial.toNanos() << Math.min(Math.max(failures - 1, 0), 20);
        long capped = doubled < 0 ? max.toNanos() : Math.min(doubled, max.toNanos());
        return Duration.ofNanos((long) (capped * (0.75 + 0.5 * random.nextDouble())));
    }
}
