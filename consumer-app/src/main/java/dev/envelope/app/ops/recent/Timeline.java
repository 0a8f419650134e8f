package dev.envelope.app.ops.recent;

import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/**
 * The last events of the process: rebalances, outages, stops, changes by operators.
 *
 * <p>Threads: guarded by this.
 */
public final class Timeline {

    private static final int KEPT = 200;

    private final Clock clock;
    private final Deque<Event> events = new ArrayDeque<>();

    /** The kind of an event; the page shows each in its own colour. */
    public enum Kind {
        REBALANCE,
        OUTAGE,
        STOP,
        CHANGE,
        STATE
    }

    /**
     * An event.
     *
     * @param at in milliseconds
     */
    public record Event(long at, Kind kind, String text) {}

    /** A timeline that takes times from this clock. */
    public Timeline(Clock clock) {
        this.clock = clock;
    }

    /** Adds an event at the present time. */
    public synchronized void add(Kind kind, String text) {
        if (events.size() == KEPT) {
            events.removeFirst();
        }
        events.addLast(new Event(clock.millis(), kind, text));
    }

    /** The events, newest first. */
    public synchronized List<Event> newestFirst() {
        List<Event> newest = new ArrayList<>(events);
        Collections.reverse(newest);
        return newest;
    }
}
