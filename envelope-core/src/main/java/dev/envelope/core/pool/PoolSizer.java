package dev.envelope.core.pool;

import java.time.Duration;
import java.util.Optional;

/**
 * How many workers there should be, between a least and a most number: more while ready shards wait
 * for one, fewer when some have had nothing to do for a while.
 *
 * <p>Whether more of them get more done can't be known beforehand: handlers that wait for others
 * take any number, a busy processor or database takes none. So a step is tried, and taken back if
 * it did not bring a fair part of what it should have.
 *
 * <p>Threads: guarded by this.
 */
final class PoolSizer {

    private static final long WINDOW_NANOS = Duration.ofSeconds(2).toNanos();
    private static final long REST_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int IDLE_WINDOWS = 15;

    /** Of what a step would bring if workers were all that is scarce. */
    private static final double FAIR_PART = 0.25;

    /**
     * What was seen at one moment.
     *
     * @param waits a shard that was ready at the last look has waited for a worker ever since
     * @param busy how many workers are at a turn
     * @param messages how many have become durable since the beginning
     */
    record Look(boolean waits, int busy, long messages) {}

    /** Another number, and why. */
    record Step(int workers, String reason) {}

    private final int least;
    private final int most;
    private boolean isStopped;
    private boolean hasBegun;
    private long windowBegan;
    private long messagesThen;
    private boolean waitedThroughout;
    private int mostBusy;
    private int idleWindows;
    private int onTrialFrom; // the number before the step that is on trial, or 0
    private boolean isSettling; // the window in which a step was made says nothing of it
    private double rateBefore;
    private boolean isResting;
    private long restBegan;

    PoolSizer(int least, int most) {
        this.least = least;
        this.most = most;
    }

    /** One that leaves the number as it is. */
    static PoolSizer fixed() {
        PoolSizer fixed = new PoolSizer(1, 1);
        fixed.stop();
        return fixed;
    }

    /** Somebody has set the number: it stays. */
    synchronized void stop() {
        isStopped = true;
    }

    /**
     * Takes a look; to be called several times a second.
     *
     * @param size how many workers there are to be now
     * @return what is to be changed, if anything
     */
    synchronized Optional<Step> next(int size, Look look, long nowNanos) {
        if (isStopped) {
            return Optional.empty();
        }
        if (!hasBegun) {
            begin(look, nowNanos);
            return Optional.empty();
        }
        waitedThroughout &= look.waits();
        mostBusy = Math.max(mostBusy, look.busy());
        long lasted = nowNanos - windowBegan;
        if (lasted < WINDOW_NANOS) {
            return Optional.empty();
        }
        Optional<Step> step =
                decide(size, (look.messages() - messagesThen) / (double) lasted, nowNanos);
        begin(look, nowNanos);
        return step;
    }

    private void begin(Look look, long nowNanos) {
        hasBegun = true;
        windowBegan = nowNanos;
        messagesThen = look.messages();
        waitedThroughout = true;
        mostBusy = 0;
    }

    private Optional<Step> decide(int size, double rate, long nowNanos) {
        idleWindows = mostBusy < size ? idleWindows + 1 : 0;
        if (isSettling) {
            isSettling = false;
            return Optional.empty();
        }
        if (onTrialFrom > 0 && waitedThroughout && !wasWorthIt(size, rate)) {
            int back = onTrialFrom;
            onTrialFrom = 0;
            isResting = true;
            restBegan = nowNanos;
            return Optional.of(new Step(back, "more did not get more done"));
        }
        onTrialFrom = 0;
        isResting &= nowNanos - restBegan < REST_NANOS;
        if (waitedThroughout && size < most && !isResting) {
            onTrialFrom = size;
            rateBefore = rate;
            isSettling = true;
            int more = Math.min(most, Math.max(size + 1, size + size / 2));
            return Optional.of(new Step(more, "keys waited for a worker"));
        }
        if (idleWindows >= IDLE_WINDOWS && size > least) {
            idleWindows = 0;
            int fewer = Math.max(least, size - Math.max(1, size / 4));
            return Optional.of(new Step(fewer, "some had nothing to do"));
        }
        return Optional.empty();
    }

    private boolean wasWorthIt(int size, double rate) {
        double hoped = (double) size / onTrialFrom - 1;
        return rate >= rateBefore * (1 + FAIR_PART * hoped);
    }
}
