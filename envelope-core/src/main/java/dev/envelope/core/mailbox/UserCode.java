package dev.envelope.core.mailbox;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether a worker is inside user code. The worker counts its steps, in and out, and reads no
 * clock; a watchdog that has seen it inside may seize that step, as long as the worker has not
 * returned.
 *
 * <p>Threads: the worker enters and leaves, one watchdog seizes. The worker leaves and the watchdog
 * seizes by compare-and-set on the same step, so that only one of the two happens. The worker need
 * not enter by one, because a step outside is never seized; what it has written before it enters is
 * visible to a thread that sees it inside.
 */
final class UserCode {

    /** Even: outside; odd: inside; negative: seized while inside, and the number says as what. */
    private final AtomicLong step = new AtomicLong();

    private long steps; // worker only: the last it has made

    /** Worker: user code begins. */
    void enter() {
        steps++;
        step.setRelease(steps);
    }

    /**
     * Worker: user code has returned.
     *
     * @return false if the watchdog has seized the step
     */
    boolean leave() {
        long inside = steps++;
        return step.compareAndSet(inside, steps);
    }

    /** Worker: user code has returned although its step was seized; returns as what. */
    long leaveSeized() {
        return step.getAndSet(steps);
    }

    /** Worker: whether it has been inside before. */
    boolean hasEntered() {
        return steps > 0;
    }

    /** Any thread: the last step of the worker, or as what it was seized. */
    long step() {
        return step.get();
    }

    static boolean isInside(long step) {
        return step > 0 && (step & 1) == 1;
    }

    /**
     * Watchdog: seizes a step that was seen inside, or changes what it is seized as.
     *
     * @param as negative
     * @return false if the worker has left that step
     */
    boolean seize(long seen, long as) {
        return step.compareAndSet(seen, as);
    }
}
