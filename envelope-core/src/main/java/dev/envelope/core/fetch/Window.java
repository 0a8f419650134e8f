package dev.envelope.core.fetch;

import dev.envelope.core.api.Environment.Ticker;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How many bytes may be fetched ahead of the work: as many as it pays for, and never more than the
 * budget of the process. What waits longer is merged into fewer rows, but what waits is copied by
 * the garbage collector again and again.
 *
 * <p>It begins small. While the work is the bottleneck, the window doubles for as long as that
 * merges more messages into a row; if it does not, it becomes half of that, and is tried again
 * after a while. A window of which less than a quarter is done within four seconds doubles in any
 * case: then memory is not what limits the work, and messages of keys that have to wait must not
 * hold up the others.
 *
 * <p>Threads: poll thread only.
 */
final class Window {

    /**
     * A few turns of the largest kind, so that workers have the next ones while these are saved:
     * with less, cores stand idle.
     */
    static final long LEAST_BYTES = 48L << 20;

    /** Messages a row beyond which a row costs nothing to speak of. */
    private static final double ENOUGH = 32;

    /** By what factor twice the window must merge more. */
    private static final double WORTH_IT = 1.08;

    private static final long PERIOD_NANOS = Duration.ofSeconds(4).toNanos();
    private static final long REST_NANOS = Duration.ofSeconds(30).toNanos();

    private final long most;
    private final LongSupplier messages;
    private final LongSupplier rows;
    private final Ticker ticker;
    private long size;
    private Step step;
    private double before; // messages a row with half of the window; 0 if it was not tried
    private long restUntil;

    /** Since when, and from which counts on, the present size is watched. */
    private record Step(long since, long messages, long rows, boolean wasFull) {}

    /**
     * @param most the budget
     * @param messages that are done, since the start
     * @param rows that were written for them
     */
    Window(long most, LongSupplier messages, LongSupplier rows, Ticker ticker) {
        this.most = most;
        this.messages = messages;
        this.rows = rows;
        this.ticker = ticker;
        this.step = new Step(ticker.nanoTime(), 0, 0, false);
        this.restUntil = step.since;
        this.size = Math.min(most, LEAST_BYTES);
    }

    long bytes() {
        return size;
    }

    /**
     * Looks whether it should have another size.
     *
     * @param unacked messages that are fetched and not done
     * @param isFull whether that is all that the window takes
     */
    void turn(long unacked, boolean isFull) {
        if (most <= LEAST_BYTES) {
            return;
        }
        long now = ticker.nanoTime();
        long done = messages.getAsLong() - step.messages;
        boolean wasFull = step.wasFull || isFull;
        if (done <= unacked && now - step.since < PERIOD_NANOS) {
            step = new Step(step.since, step.messages, step.rows, wasFull);
            return;
        }
        if (4 * done > unacked) {
            decide(now, (double) done / Math.max(1, rows.getAsLong() - step.rows), wasFull);
        } else if (wasFull) {
            before = 0;
            resize(2 * size);
        }
        step = new Step(now, messages.getAsLong(), rows.getAsLong(), false);
    }

    private void decide(long now, double merged, boolean wasFull) {
        boolean isTrial = before > 0;
        if (isTrial && merged < WORTH_IT * before) {
            restUntil = now + REST_NANOS;
            resize(size / 2);
        } else if (merged > 2 * ENOUGH) {
            resize(size / 2);
        } else if (wasFull && merged < ENOUGH && now - restUntil >= 0) {
            if (resize(2 * size)) {
                before = merged;
                return;
            }
        }
        before = 0;
    }

    private boolean resize(long wanted) {
        long is = size;
        size = Math.max(LEAST_BYTES, Math.min(most, wanted));
        return size != is;
    }
}
