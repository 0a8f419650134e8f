package dev.envelope.core.api;

import java.time.Duration;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * What happens to a message whose fold fails: how often it is tried, how long its key waits between
 * attempts, and what comes after the last.
 *
 * @param maxAttempts at least one
 * @param initialBackoff the wait after the first failed attempt; it doubles with each
 * @param maxBackoff the longest wait
 * @param last what is done after the last attempt
 * @param neverRetried class names of exceptions after which a message is not tried again
 * @param patience limits of waits that count no attempt
 */
public record FailurePolicy(
        int maxAttempts,
        Duration initialBackoff,
        Duration maxBackoff,
        Last last,
        Set<String> neverRetried,
        Patience patience) {

    private static final int DEEPEST_CAUSE = 20;

    /** What is done with a message after its last attempt. */
    public enum Last {
        /** Its partition stops, without committing past it. */
        STOP,
        /** It is set aside, with all later messages of its key, until a person decides. */
        PARK,
        /** It alone is put out as a dead letter, and its key goes on. */
        DEAD_LETTER
    }

    /**
     * How long a key waits for these reasons, which count no attempt, before its partition stops.
     * For an outage a key waits as long as it lasts.
     *
     * @param unclearDecoder for bytes that can't be decoded for an unclear reason
     * @param otherVersion for a process that can read a state which this one can't
     */
    public record Patience(Duration unclearDecoder, Duration otherVersion) {

        public static final Patience DEFAULT =
                new Patience(Duration.ofMinutes(5), Duration.ofHours(1));
    }

    /** Retries all exceptions. */
    public FailurePolicy(int maxAttempts, Duration initialBackoff, Duration maxBackoff, Last last) {
        this(maxAttempts, initialBackoff, maxBackoff, last, Set.of(), Patience.DEFAULT);
    }

    public FailurePolicy {
        neverRetried = Set.copyOf(neverRetried);
        if (maxAttempts < 1 || initialBackoff.isNegative() || maxBackoff.isNegative()) {
            throw new IllegalArgumentException("attempts and back-off must be positive");
        }
    }

    /**
     * Whether to try again after this exception: not if it or one of its causes is of a class that
     * is never retried, or of a subclass. Causes count because libraries wrap exceptions.
     */
    public boolean mayRetry(Throwable thrown) {
        Throwable cause = neverRetried.isEmpty() ? null : thrown;
        for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
            for (Class<?> kind = cause.getClass(); kind != null; kind = kind.getSuperclass()) {
                if (neverRetried.contains(kind.getName())) {
                    return false;
                }
            }
            cause = cause.getCause();
        }
        return true;
    }

    /**
     * How long to wait after this many failed attempts: doubling, capped, with jitter of a quarter.
     */
    public Duration backoff(int failedAttempts, RandomGenerator random) {
        return backoff(initialBackoff, maxBackoff, failedAttempts, random);
    }

    /** The same with other limits. */
    public static Duration backoff(
            Duration initial, Duration max, int failures, RandomGenerator random) {
        long doubled = initial.toNanos() << Math.min(Math.max(failures - 1, 0), 20);
        long capped = doubled < 0 ? max.toNanos() : Math.min(doubled, max.toNanos());
        return Duration.ofNanos((long) (capped * (0.75 + 0.5 * random.nextDouble())));
    }
}
