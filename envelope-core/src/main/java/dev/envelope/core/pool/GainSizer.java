package dev.envelope.core.pool;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tries more workers while ready shards wait for a worker, and fewer when some have been idle for a
 * while.
 *
 * <p>Whether more workers handle more messages can't be known beforehand: they do if handlers wait
 * for other systems, and don't if the processor or the database is busy. So a step is tried, and
 * undone if it did not bring a fair part of the expected gain.
 *
 * <p>Threads: guarded by this.
 */
final class GainSizer implements PoolSizer {

    private static final long WINDOW_NANOS = Duration.ofSeconds(2).toNanos();
    private static final long REST_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int IDLE_WINDOWS = 15;

    /** Part of the gain that a step would bring if only workers were scarce. */
    private static final double FAIR_PART = 0.25;

    /** What is being tried. */
    private sealed interface State {}

    /** Nothing is being tried: a step may follow. */
    private record Calm() implements State {}

    /** A step was made just now: the window in which it was made is not counted. */
    private record Settling(int from, double rateBefore) implements State {}

    /** The present window shows whether the step from that number was worth it. */
    private record OnTrial(int from, double rateBefore) implements State {

        boolean wasWorthIt(int size, double rate) {
            double hoped = (double) size / from - 1;
            return rate >= rateBefore * (1 + FAIR_PART * hoped);
        }
    }

    /** A step was undone: no other is tried for a while. */
    private record Resting(long since) implements State {}

    /** The number was set by a call: it does not change by itself any more. */
    private record Stopped() implements State {}

    /** What was seen since the window began. */
    private record Window(long began, long messagesThen, boolean waitedThroughout, int mostBusy) {

        Window with(Look look) {
            return new Window(
                    began,
                    messagesThen,
                    waitedThroughout && look.waits(),
                    Math.max(mostBusy, look.busy()));
        }
    }

    private final int least;
    private final int most;
    private State state = new Calm();
    private @Nullable Window window; // null before the first look
    private int idleWindows; // in a row

    GainSizer(int least, int most) {
        this.least = least;
        this.most = most;
    }

    @Override
    public synchronized void stop() {
        state = new Stopped();
    }

    @Override
    public synchronized Optional<Step> next(int size, Look look, long nowNanos) {
        if (state instanceof Stopped) {
            return Optional.empty();
        }
        Window seen = window == null ? null : window.with(look);
        if (seen != null && nowNanos - seen.began() < WINDOW_NANOS) {
            window = seen;
            return Optional.empty();
        }
        window = new Window(nowNanos, look.messages(), true, 0);
        if (seen == null) {
            return Optional.empty();
        }
        double lasted = nowNanos - seen.began();
        return decide(size, seen, (look.messages() - seen.messagesThen()) / lasted, nowNanos);
    }

    private Optional<Step> decide(int size, Window seen, double rate, long nowNanos) {
        idleWindows = seen.mostBusy() < size ? idleWindows + 1 : 0;
        if (state instanceof Settling settled) {
            state = new OnTrial(settled.from(), settled.rateBefore());
            return Optional.empty();
        }
        boolean hasWaited = seen.waitedThroughout();
        if (state instanceof OnTrial trial && hasWaited && !trial.wasWorthIt(size, rate)) {
            state = new Resting(nowNanos);
            return Optional.of(new Step(trial.from(), "more did not get more done"));
        }
        if (!(state instanceof Resting resting) || nowNanos - resting.since() >= REST_NANOS) {
            state = new Calm();
            if (hasWaited && size < most) {
                state = new Settling(size, rate);
                int more = Math.min(most, Math.max(size + 1, size + size / 2));
                return Optional.of(new Step(more, "keys waited for a worker"));
            }
        }
        if (idleWindows >= IDLE_WINDOWS && size > least) {
            idleWindows = 0;
            int fewer = Math.max(least, size - Math.max(1, size / 4));
            return Optional.of(new Step(fewer, "some had nothing to do"));
        }
        return Optional.empty();
    }
}
