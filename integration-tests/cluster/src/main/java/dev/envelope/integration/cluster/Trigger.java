package dev.envelope.integration.cluster;

import dev.envelope.integration.cluster.Beat.Count;
import java.time.Duration;

/**
 * Ends this process when its aim has come up for the n-th time. Nothing is run, flushed or closed:
 * to the others it is as if it had been killed with -9. The beat brings the aim while the process
 * runs.
 *
 * <p>Threads: thread-safe (the beat is).
 */
record Trigger(Beat beat) {

    /** The exit code of a process that has ended itself. */
    static final int EXIT_CODE = 99;

    private static final long PATIENCE_NANOS = Duration.ofMillis(50).toNanos();

    /** This point is reached. */
    void at(Aim point) {
        if (isDue(point)) {
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }

    /**
     * This point is reached on a thread beside the work: ends as soon as some work is in flight, or
     * lets the occasion pass where there is none.
     */
    void besideWorkAt(Aim point) {
        if (!isDue(point)) {
            return;
        }
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!beat.hasWorkInFlight()) {
            if (System.nanoTime() > deadline) {
                return; // less than one occasion is left, so the next one is due
            }
            Thread.onSpinWait();
        }
        Runtime.getRuntime().halt(EXIT_CODE);
    }

    private boolean isDue(Aim point) {
        if (beat.get(Count.ARMED_AIM) != point.number()) {
            return false;
        }
        beat.add(Count.ARMED_OCCASIONS, -1);
        return beat.get(Count.ARMED_OCCASIONS) <= 0;
    }
}
