package dev.envelope.app.gateway;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Counts the requests that are not answered yet.
 *
 * <p>Threads: guarded by this.
 */
final class Unanswered {

    private int requests;

    synchronized void begins() {
        requests++;
    }

    synchronized void ends() {
        requests--;
        notifyAll();
    }

    /** Waits until all are answered, so long at most. */
    synchronized void await(Duration most) {
        long end = System.nanoTime() + most.toNanos();
        try {
            for (long left = most.toNanos();
                    requests > 0 && left > 0;
                    left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, Math.max(1_000_000, left));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
