package dev.envelope.core.pool;

import dev.envelope.core.turn.CallTimes;
import dev.envelope.core.turn.CallTimes.Stopwatch;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * Keeps as many workers as what they call can serve at the same time. Where calls take as long as
 * ever, more are tried; where they take longer, they wait for each other at the other end, and
 * there are fewer workers: in proportion, and a few more than that, so that it shows when there is
 * room again.
 *
 * <p>Once a minute half of them are tried, since the lowest time may not be what it was: the other
 * side may have become slower without being busy.
 *
 * <p>Threads: guarded by this.
 */
final class LatencySizer implements PoolSizer {

    private static final long WINDOW_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long IDLE_NANOS = Duration.ofSeconds(30).toNanos();
    private static final long MEASURED_NANOS = Duration.ofMinutes(1).toNanos();

    /** A measurement that has not come to an end by then is given up. */
    private static final long PATIENCE_NANOS = Duration.ofSeconds(10).toNanos();

    private static final int LEAST_CALLS = 10;

    /** So much longer than the lowest is still no sign that calls wait. */
    private static final double NOISE = 1.25;

    private static final double LOWEST_GRADIENT = 0.5;

    /**
     * What is known of the time of calls, in nanoseconds.
     *
     * @param lowest of a window; 0 if there was none yet
     * @param measured when the lowest was measured last
     */
    private record Known(long lowest, long present, boolean keysWait, long measured) {}

    /**
     * The present window.
     *
     * @param resumeWith how many workers there are to be again after a measurement; 0 if this is
     *     none
     * @param isSettling calls that began before the last change may end in it: it does not count
     */
    private record Window(
            long began, boolean waits, int mostBusy, int resumeWith, boolean isSettling) {

        Window with(Look look) {
            return new Window(
                    began,
                    waits && look.waits(),
                    Math.max(mostBusy, look.busy()),
                    resumeWith,
                    isSettling);
        }
    }

    private final int least;
    private final int most;
    private final CallTimes times;
    private Known known = new Known(0, 0, false, 0);
    private Window window = new Window(0, true, 0, 0, true);
    private long idleSince;
    private boolean hasBegun;
    private volatile boolean isStopped;

    LatencySizer(int least, int most, CallTimes times) {
        this.least = least;
        this.most = most;
        this.times = times;
    }

    @Override
    public Optional<Stopwatch> stopwatch() {
        return isStopped ? Optional.empty() : Optional.of(times.stopwatch());
    }

    @Override
    public boolean isRestless() {
        return true;
    }

    @Override
    public synchronized void stop() {
        isStopped = true;
    }

    @Override
    public synchronized Optional<Step> next(int size, Look look, long now) {
        if (isStopped) {
            return Optional.empty();
        }
        if (!hasBegun) {
            hasBegun = true;
            idleSince = now;
            known = new Known(0, 0, false, now);
            begin(now, 0, false);
        }
        window = window.with(look);
        if (look.busy() >= size) {
            idleSince = now;
        }
        if (now - idleSince >= IDLE_NANOS && size > least && window.resumeWith() == 0) {
            idleSince = now;
            begin(now, 0, true);
            return step(size, size - Math.max(1, size / 4), "some had nothing to do");
        }
        if (window.resumeWith() > 0 && now - window.began() >= PATIENCE_NANOS) {
            int before = window.resumeWith();
            known = new Known(known.lowest(), known.present(), known.keysWait(), now);
            begin(now, 0, true);
            return step(size, before, "too few calls came to measure the lowest latency");
        }
        if (now - window.began() < Math.max(WINDOW_NANOS, 2 * known.present())
                || (times.count() < LEAST_CALLS && !window.isSettling())) {
            return Optional.empty();
        }
        return decide(size, now);
    }

    private Optional<Step> decide(int size, long now) {
        Window seen = window;
        if (seen.isSettling()) {
            begin(now, seen.resumeWith(), false);
            return Optional.empty();
        }
        long present = Math.max(1, times.median());
        boolean isMeasurement = seen.resumeWith() > 0;
        long lowest =
                isMeasurement || known.lowest() == 0 ? present : Math.min(known.lowest(), present);
        known = new Known(lowest, present, seen.waits(), isMeasurement ? now : known.measured());
        times.usual(lowest);
        if (isMeasurement) {
            begin(now, 0, true);
            return step(size, seen.resumeWith(), "the lowest latency was measured again");
        } else if (now - known.measured() >= MEASURED_NANOS && seen.waits()) {
            begin(now, size, true); // with the fewest already, if there can't be fewer
            return step(size, size / 2, "to measure the lowest latency again");
        }
        begin(now, 0, false);
        return adapt(size, seen);
    }

    private Optional<Step> adapt(int size, Window seen) {
        double gradient =
                Math.max(
                        LOWEST_GRADIENT,
                        Math.min(1, NOISE * known.lowest() / (double) known.present()));
        int next = (int) (size * gradient + Math.max(1, Math.sqrt(size)));
        if (next > size && seen.waits()) {
            return step(size, next, "keys waited for a worker, and calls take as long as ever");
        } else if (next < size && seen.mostBusy() > size / 2) {
            return step(size, next, "calls take longer than they have to");
        }
        return Optional.empty();
    }

    private Optional<Step> step(int size, int wanted, String reason) {
        int next = Math.max(least, Math.min(most, wanted));
        return next == size ? Optional.empty() : Optional.of(new Step(next, reason));
    }

    private void begin(long now, int resumeWith, boolean isSettling) {
        window = new Window(now, true, 0, resumeWith, isSettling);
        times.forget();
    }

    @Override
    public synchronized String why() {
        if (isStopped) {
            return "set by a person";
        } else if (known.present() == 0) {
            return "no latency is known yet";
        }
        return String.format(
                Locale.ROOT,
                "by latency, %d to %d: lowest %.1f ms, now %.1f ms%s%s",
                least,
                most,
                known.lowest() / 1e6,
                known.present() / 1e6,
                known.keysWait() ? "; keys wait for a worker" : "; no key waits",
                window.resumeWith() > 0 ? "; the lowest is being measured again" : "");
    }
}
