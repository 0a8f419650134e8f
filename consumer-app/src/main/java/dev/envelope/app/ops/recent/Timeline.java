package dev.envelope.app.ops.recent;

import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/**
 * What happened when: rebalances, outages, stops, changes by a person. The last of them are kept.
 *
 * <p>Threads: guarded by this.
 */
public final class Timeline {

    private static final int KEPT = 200;

    private final Clock clock;
    private final Deque<Event> events = new ArrayDeque<>();

    /** Of which kind something was; a page shows each in its own colour. */
    public enum Kind {
        REBALANCE,
        OUTAGE,
        STOP,
        CHANGE,
        STATE
    }

    /**
     * Something that happened.
     *
     * @param at in milliseconds
     */
    public record Event(long at, Kind kind, String text) {}

    /** One that reads the time from this clock. */
    public Timeline(Clock clock) {
        this.clock = clock;
    }

    /** Writes down that this happened now. */
    public synchronized void add(Kind kind, String text) {
        if (events.size() == KEPT) {
            events.removeFirst();
        }
        events.addLast(new Event(clock.millis(), kind, text));
    }

    /** The last, newest first. */
    public synchronized List<Event> newestFirst() {
        List<Event> newest = new ArrayList<>(events);
        Collections.reverse(newest);
        return newest;
    }
}
