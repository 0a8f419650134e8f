package dev.envelope.integration.demo.inventory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the row, the events and the answers of one item have to be, worked out from its log alone.
 * It shares no code with the handler.
 *
 * <p>Threads: one thread.
 */
final class ItemBook {

    /**
     * How far messages that came later may be applied while a reservation has not expired. As long
     * as nobody works, no timer fires: with all faults that can be minutes, and what was sent
     * meanwhile comes first. At rest nothing may be reserved.
     */
    private static final long PATIENCE_MILLIS = 600_000;

    private static final int MOST_WORDS = 5;

    /** Rows that are remembered for readings that arrive late: more than in their longest wait. */
    private static final int MOST_PAST = 1_000;

    /** What a row has, or an event tells. */
    record Row(long available, Map<String, Long> reserved, long sold) {}

    record Event(String what, String order, long quantity, long available) {}

    /**
     * How much was compared, and what there is.
     *
     * @param answers that callers were given
     * @param reads of callers
     */
    record Count(
            long records,
            long answers,
            long reads,
            long events,
            long delivered,
            long available,
            long reserved,
            long sold,
            long expired) {

        static final Count NONE = new Count(0, 0, 0, 0, 0, 0, 0, 0, 0);

        Count plus(Count other) {
            return new Count(
                    records + other.records,
                    answers + other.answers,
                    reads + other.reads,
                    events + other.events,
                    delivered + other.delivered,
                    available + other.available,
                    reserved + other.reserved,
                    sold + other.sold,
                    expired + other.expired);
        }
    }

    /** The latest of what comes without end. */
    private static final class Latest<V> extends LinkedHashMap<String, V> {

        private static final int MOST = 20_000;
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > MOST;
        }
    }

    /** A row that a caller has read before it was compared here. */
    private record Reading(long nextOffset, Row row) {}

    /** What a row was, in little space: of its reservations the hash of the map. */
    private record Past(long available, int reserved, long sold) {

        boolean is(Row row) {
            return available == row.available()
                    && sold == row.sold()
                    && reserved == row.reserved().hashCode();
        }
    }

    private record Reservation(long quantity, long dueMillis) {}

    private final String item;
    private final Deque<Entry> ahead = new ArrayDeque<>();
    private final Map<String, Boolean> ids = new Latest<>();
    private final Map<String, Boolean> firings = new Latest<>();
    private final Map<String, Reservation> reserved = new TreeMap<>();
    private final Deque<Event> expectedEvents = new ArrayDeque<>();
    private final Deque<Event> seenEvents = new ArrayDeque<>();
    private final Map<String, Event> answers = new Latest<>();
    private final Map<String, Event> told = new HashMap<>();
    private final List<Reading> unread = new ArrayList<>();
    private final NavigableMap<Long, Past> past = new TreeMap<>();
    private final Set<String> wrong = new LinkedHashSet<>();
    private long available;
    private int reservedHash; // as that of a map of quantities
    private long sold;
    private long delivered;
    private long newest;
    private long applied;
    private long compared;
    private long readings;
    private long reached;
    private long events;
    private long expired;

    ItemBook(String item) {
        this.item = item;
    }

    /** The next record of its log. */
    void logged(Entry entry) {
        ahead.add(entry);
    }

    /** An event that has arrived. */
    void event(Event event) {
        seenEvents.add(event);
        compareEvents();
    }

    /** An answer that a caller was given. */
    void told(String command, Event answer) {
        @Nullable Event expected = answers.get(command);
        if (expected == null) {
            told.put(command, answer);
        } else {
            compareAnswer(command, answer, expected);
        }
    }

    /**
     * A row that a caller has read, wherever that was.
     *
     * @param atLeast the record that had to be applied to it
     */
    void read(long nextOffset, Row row, long atLeast) {
        if (nextOffset <= atLeast) {
            wrong("it was read up to %d, and at least %d was asked for", nextOffset, atLeast);
        }
        unread.add(new Reading(nextOffset, row));
        compareReadings();
    }

    private void compareReadings() {
        for (Iterator<Reading> left = unread.iterator(); left.hasNext(); ) {
            Reading reading = left.next();
            if (reading.nextOffset() <= reached) {
                left.remove();
                compare(reading, past.floorEntry(reading.nextOffset()));
            }
        }
    }

    private void compare(Reading reading, Map.@Nullable Entry<Long, Past> expected) {
        if (expected != null) { // else it is long past
            readings++;
            if (!expected.getValue().is(reading.row())) {
                wrong(
                        "as of offset %d the row was read as %s, not %s",
                        reading.nextOffset(), reading.row(), expected.getValue());
            }
        }
    }

    /**
     * Its row, in which all is applied that is before an offset. What was read of the log has to
     * reach that far.
     */
    void row(long nextOffset, Row row) {
        for (Entry next = ahead.peek();
                next != null && next.offset() < nextOffset;
                next = ahead.peek()) {
            apply(ahead.remove());
            past.put(next.offset() + 1, new Past(available, reservedHash, sold));
            if (past.size() > MOST_PAST) {
                past.pollFirstEntry();
            }
        }
        reached = Math.max(reached, nextOffset);
        compareReadings();
        Row expected = new Row(available, quantities(), sold);
        if (!row.equals(expected)) {
            wrong("at offset %d the row is %s, not %s", nextOffset, row, expected);
        }
        if (row.available() < 0) {
            wrong("%d more are promised than there are", -row.available());
        }
        long kept = row.reserved().values().stream().mapToLong(Long::longValue).sum();
        if (row.available() + kept + row.sold() != delivered) {
            wrong("%d were delivered, and the row is %s", delivered, row);
        }
        compareEvents();
        overdue();
    }

    private void apply(Entry entry) {
        applied++;
        newest = Math.max(newest, entry.timestamp());
        @Nullable String fired = entry.fired();
        @Nullable String id = entry.id();
        if (fired != null) {
            fired(fired, entry);
            return;
        }
        if (id != null && ids.put(id, true) != null) {
            return; // the same command again
        }
        Event answer =
                switch (entry.action()) {
                    case "deliver" -> delivered(entry.quantity());
                    case "reserve" -> reserved(entry);
                    case "confirm" -> ended("confirmed", entry.order());
                    case "release" -> ended("released", entry.order());
                    default -> throw new IllegalStateException("sent by nobody: " + entry);
                };
        @Nullable String command = entry.command();
        if (command != null) {
            answers.put(command, answer);
            @Nullable Event already = told.remove(command);
            if (already != null) {
                compareAnswer(command, already, answer);
            }
        }
    }

    private void fired(String order, Entry entry) {
        if (firings.put(order + " " + entry.generation(), true) != null) {
            wrong("the timer of order %s has fired twice", order);
        }
        @Nullable Reservation reservation = reserved.get(order);
        if (reservation != null) {
            if (entry.timestamp() < reservation.dueMillis()) {
                wrong(
                        "order %s has expired %d ms early",
                        order, reservation.dueMillis() - entry.timestamp());
            }
            ended("expired", order);
            expired++;
        }
    }

    private Event delivered(long quantity) {
        available += quantity;
        delivered += quantity;
        return happened(new Event("delivered", "", quantity, available));
    }

    private Event reserved(Entry entry) {
        if (entry.quantity() > available) {
            return new Event("rejected", entry.order(), entry.quantity(), available);
        }
        available -= entry.quantity();
        reserved.put(
                entry.order(),
                new Reservation(entry.quantity(), entry.timestamp() + entry.holdMillis()));
        reservedHash += entry.order().hashCode() ^ Long.hashCode(entry.quantity());
        return happened(new Event("reserved", entry.order(), entry.quantity(), available));
    }

    private Event ended(String how, String order) {
        @Nullable Reservation reservation = reserved.remove(order);
        if (reservation == null) {
            return new Event("not reserved", order, 0, available);
        }
        reservedHash -= order.hashCode() ^ Long.hashCode(reservation.quantity());
        if (how.equals("confirmed")) {
            sold += reservation.quantity();
        } else {
            available += reservation.quantity();
        }
        return happened(new Event(how, order, reservation.quantity(), available));
    }

    private Event happened(Event event) {
        expectedEvents.add(event);
        return event;
    }

    private void compareEvents() {
        while (!expectedEvents.isEmpty() && !seenEvents.isEmpty()) {
            Event expected = expectedEvents.remove();
            Event seen = seenEvents.remove();
            events++;
            if (!seen.equals(expected)) {
                wrong("the event %s has arrived, not %s", seen, expected);
            }
        }
    }

    private void compareAnswer(String command, Event answer, Event expected) {
        compared++;
        if (!answer.equals(expected)) {
            wrong("command %s was answered with %s, not %s", command, answer, expected);
        }
    }

    /** Looks for reservations that should have ended: by the time of the log, not of a clock. */
    private void overdue() {
        reserved.forEach(
                (order, reservation) -> {
                    if (newest - reservation.dueMillis() > PATIENCE_MILLIS) {
                        wrong("order %s is reserved for ever", order);
                    }
                });
    }

    /** Looks, once nothing is sent any more and everything is settled, for what is missing. */
    void settled() {
        if (!ahead.isEmpty()) {
            wrong("%d records of the log are not applied", ahead.size());
        }
        expectedEvents.forEach(it -> wrong("the event %s has not arrived", it));
        seenEvents.forEach(it -> wrong("the event %s came from nowhere", it));
        reserved.keySet().forEach(it -> wrong("order %s is reserved for ever", it));
        unread.forEach(it -> wrong("%s was read, and never saved", it));
        told.keySet().forEach(it -> wrong("command %s was answered, and is not in the log", it));
    }

    /** Whether nothing of it is under way. */
    boolean isAtRest() {
        return reserved.isEmpty() && ahead.isEmpty() && expectedEvents.isEmpty();
    }

    /** Whether the answer to a command has to be another one. */
    boolean isOther(String command, Event answer) {
        @Nullable Event expected = answers.get(command);
        return expected != null && !answer.equals(expected);
    }

    Count count() {
        return new Count(
                applied,
                compared,
                readings,
                events,
                delivered,
                available,
                delivered - available - sold,
                sold,
                expired);
    }

    /** What is wrong, once. */
    List<String> wrong() {
        return List.copyOf(wrong);
    }

    private Map<String, Long> quantities() {
        Map<String, Long> quantities = new TreeMap<>();
        reserved.forEach((order, it) -> quantities.put(order, it.quantity()));
        return quantities;
    }

    private void wrong(String words, Object... values) {
        if (wrong.size() < MOST_WORDS) {
            wrong.add(item + ": " + String.format(Locale.ROOT, words, values));
        }
    }
}
