package dev.envelope.idempotency.work;

import dev.envelope.core.api.OverRateException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits how often a second each of several others is called, such as hosts. A message that is over
 * the limit waits without a worker, and those that wait are asked again at different times.
 *
 * <p>Threads: thread-safe (a concurrent map).
 */
public final class CallRate {

    /** What was not used of so long may be caught up on at once. */
    private static final long SLACK_NANOS = Duration.ofMillis(100).toNanos();

    /** Some of those that wait may never come again: their partitions were given up. */
    private static final long LONGEST_WAIT_NANOS = Duration.ofSeconds(5).toNanos();

    private static final int LEAST_TO_SWEEP = 1_024;

    private final int perSecond;
    private final long intervalNanos;
    private final LongSupplier nanoTime;
    private final Map<String, Pace> paces = new ConcurrentHashMap<>();

    /**
     * One that is called.
     *
     * @param free when the next call is due; before that it is over the limit
     * @param asked until when those that wait have been told to wait
     * @param waits how long the last one has to; 0 if it may call now
     */
    private record Pace(long free, long asked, long waits) {}

    /**
     * @param perSecond how often in this process; 0 for no limit
     * @param nanoTime {@code System::nanoTime}
     */
    public CallRate(int perSecond, LongSupplier nanoTime) {
        if (perSecond < 0) {
            throw new IllegalArgumentException("a rate is not negative: " + perSecond);
        }
        this.perSecond = perSecond;
        this.intervalNanos = perSecond == 0 ? 0 : Duration.ofSeconds(1).toNanos() / perSecond;
        this.nanoTime = nanoTime;
    }

    /**
     * Counts a call that is made next. Once for a message, before its first call: what was called
     * before this throws is called again with the message.
     *
     * @param of what is called, such as a host
     * @throws OverRateException if it may not be made now: a handler lets it pass, and is called
     *     again for the same message
     */
    public void take(String of) {
        if (perSecond == 0) {
            return;
        }
        long now = nanoTime.getAsLong();
        if (paces.size() > LEAST_TO_SWEEP) {
            paces.values().removeIf(it -> it.free() - now <= 0);
        }
        long waits = paces.compute(of, (name, before) -> next(before, now)).waits();
        if (waits > 0) {
            throw new OverRateException(
                    of + " may be called " + perSecond + " times a second",
                    Duration.ofNanos(waits));
        }
    }

    private Pace next(@Nullable Pace before, long now) {
        long free = before == null ? now : later(before.free(), now - SLACK_NANOS);
        long asked = before == null ? now : later(before.asked(), now);
        if (free - now <= 0) {
            return new Pace(free + intervalNanos, asked, 0);
        }
        long again = later(asked, free) + (asked - free >= 0 ? intervalNanos : 0);
        if (again - now > LONGEST_WAIT_NANOS) {
            again = later(free, now + intervalNanos);
        }
        return new Pace(free, again, again - now);
    }

    private static long later(long one, long other) {
        return one - other > 0 ? one : other;
    }
}
