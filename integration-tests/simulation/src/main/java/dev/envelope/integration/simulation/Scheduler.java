package dev.envelope.integration.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/**
 * Virtual time: events in the order of their times, those of one time in the order in which they
 * were planned.
 *
 * <p>Threads: one thread.
 */
final class Scheduler {

    /**
     * Deeper than that nothing is nested: time passes, and what was due meanwhile comes late.
     * Whoever blocks goes on only after those nested in him, so a deep stack would starve its
     * lowest frames.
     */
    private static final int MAX_DEPTH = 5;

    private record Event(long at, long number, Runnable action) {}

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
    private long now;
    private long skipped; // what has passed at the greatest depth
    private long planned;
    private int depth;

    long now() {
        return now;
    }

    /**
     * The time in which others could run: without what has passed at the greatest depth, when
     * whatever was due had to come late.
     */
    long inOrder() {
        return now - skipped;
    }

    /** Runs the action after so many nanoseconds. */
    void after(long nanos, Runnable action) {
        events.add(new Event(now + Math.max(0, nanos), planned++, action));
    }

    /** How many events are still to come. */
    int waiting() {
        return events.size();
    }

    /** Runs events until the time has come, or until something has. */
    void runUntil(long time, BooleanSupplier orUntil) {
        if (depth >= MAX_DEPTH) {
            skipped += Math.max(0, time - now);
            now = Math.max(now, time);
            return;
        }
        depth++;
        try {
            while (!orUntil.getAsBoolean()) {
                Event next = events.peek();
                if (next == null || next.at() > time) {
                    now = Math.max(now, time);
                    return;
                }
                events.remove();
                now = Math.max(now, next.at());
                next.action().run();
            }
        } finally {
            depth--;
        }
    }

    /** What blocks for so long: others go on meanwhile. */
    void block(long nanos) {
        runUntil(now + nanos, () -> false);
    }
}
