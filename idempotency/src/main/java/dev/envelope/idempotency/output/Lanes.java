package dev.envelope.idempotency.output;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.idempotency.store.output.OutputStore.Before;
import dev.envelope.idempotency.store.output.OutputStore.Item;
import dev.envelope.idempotency.store.output.OutputStore.Place;
import dev.envelope.idempotency.store.output.OutputStore.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Which rows may be sent now, so that the outputs of a lane leave in their order whichever relay
 * has them. A row waits while a row of another relay, or a refused one, has one of its lanes and a
 * lower place; and while an own row with a lower place waits that has.
 *
 * <p>A row that waits is left out of further reads, so that the rows behind it are read. If only
 * some of its lanes wait, it is taken apart after a while, and the others go.
 *
 * <p>Threads: one thread, the relay's.
 */
final class Lanes {

    /** A shorter wait is not worth taking a row apart. */
    private static final Duration WAITS_WHOLE = Duration.ofMillis(200);

    /** So many rows are left out of reads; beyond that, the rows behind them wait too. */
    private static final int MOST_LEFT_OUT = 10_000;

    private static final String BEHIND = "it waits for a record of its key that Kafka refuses";

    /**
     * Outputs of a row that wait while its others could go.
     *
     * @param held by index
     * @param refused why they count as refused; null if they only wait for others
     */
    record Split(Row row, List<Integer> held, @Nullable String refused) {}

    /**
     * What may be sent.
     *
     * @param take these rows, by place
     * @param splits rows to take apart
     * @param readOn whether the next read may find more to take
     */
    record Selection(List<Row> take, List<Split> splits, boolean readOn) {}

    /** An own row that waits, since a time in nanoseconds. */
    private record Waiting(int[] lanes, long since) {}

    private final NavigableMap<Place, int[]> before = new TreeMap<>();
    private final NavigableMap<Place, Waiting> waiting = new TreeMap<>();
    private final Set<Place> due = new HashSet<>(); // those that wait, and are to be read again
    private Set<Place> refused = Set.of(); // of those in before
    private Map<Integer, Place> firsts = new HashMap<>(); // of each lane in before
    private Map<Integer, Place> firstRefused = new HashMap<>();

    /** The rows to leave out of the next read. */
    Collection<Place> leftOut() {
        return waiting.keySet().stream().filter(place -> !due.contains(place)).toList();
    }

    /** The rows that wait. */
    Collection<Place> waiting() {
        return List.copyOf(waiting.keySet());
    }

    /**
     * Rows of others whose lanes need not be read again. Not the parts that were taken out of a
     * row: when such a part is gone, another one can get its place.
     */
    Collection<Place> known() {
        return before.keySet().stream().filter(place -> place.part() == 0).toList();
    }

    /** The position below which the rows of others have to be read; 0 if none have to be. */
    long end(List<Row> rows) {
        long last = rows.isEmpty() ? -1 : rows.get(rows.size() - 1).place().position();
        return 1 + (waiting.isEmpty() ? last : Math.max(last, waiting.lastKey().position()));
    }

    /** The lanes of these rows, and of those that wait. */
    Collection<Integer> asked(List<Row> rows) {
        Set<Integer> asked = new HashSet<>();
        rows.forEach(row -> row.items().forEach(item -> asked.add(item.lane())));
        waiting.values().forEach(row -> addAll(asked, row.lanes()));
        return asked;
    }

    /** In another life of the database, other rows can have these places. */
    void forget() {
        before.clear();
        waiting.clear();
        due.clear();
        refused = Set.of();
        firsts.clear();
        firstRefused.clear();
    }

    /**
     * Selects among the rows of this relay.
     *
     * @param rows by place, read without {@link #leftOut}
     * @param answer what goes before the rows below {@link #end}
     * @param now of a monotonic clock, in nanoseconds
     */
    Selection free(List<Row> rows, Before answer, long now) {
        learn(answer);
        NavigableMap<Place, Row> read = new TreeMap<>();
        rows.forEach(row -> read.put(row.place(), row));
        Place last = read.isEmpty() ? null : read.lastKey();
        due.stream().filter(place -> isGone(place, read, last)).forEach(waiting::remove);
        due.clear();

        Selecting selecting = new Selecting(now);
        SortedSet<Place> all = new TreeSet<>(waiting.keySet());
        all.addAll(read.keySet());
        for (Place place : all.headSet(new Place(answer.upTo(), 0))) {
            Row row = read.get(place);
            if (row == null) {
                selecting.leftOut(place);
            } else {
                selecting.read(row);
            }
        }
        return new Selection(
                selecting.take, selecting.splits, selecting.leavesMoreOut || !due.isEmpty());
    }

    /** Whether a row that should have been read was not: somebody has deleted it. */
    private static boolean isGone(Place place, Map<Place, Row> read, @Nullable Place last) {
        return !read.containsKey(place) && (last == null || place.compareTo(last) < 0);
    }

    /** Whether a refused row is the first of its lanes, so that it can be tried again. */
    boolean isFirst(Row row, Before answer) {
        learn(answer);
        Set<Integer> ahead = new HashSet<>();
        waiting.headMap(row.place()).values().forEach(it -> addAll(ahead, it.lanes()));
        return answer.upTo() > row.place().position()
                && row.items().stream()
                        .map(Item::lane)
                        .noneMatch(it -> ahead.contains(it) || isBlocked(it, row.place()));
    }

    private void learn(Before answer) {
        boolean changes =
                before.headMap(new Place(answer.upTo(), 0))
                        .keySet()
                        .retainAll(answer.lanes().keySet());
        for (Map.Entry<Place, int @Nullable []> row : answer.lanes().entrySet()) {
            int[] lanes = row.getValue();
            if (lanes != null) {
                before.put(row.getKey(), lanes);
                changes = true;
            } else if (!before.containsKey(row.getKey())) {
                throw new InvariantViolation("nobody knows the lanes of " + row.getKey());
            }
        }
        if (changes || !refused.equals(answer.refused())) {
            refused = answer.refused();
            firsts = new HashMap<>();
            firstRefused = new HashMap<>();
            before.forEach(
                    (place, lanes) -> {
                        boolean isRefused = refused.contains(place);
                        for (int lane : lanes) {
                            firsts.putIfAbsent(lane, place);
                            if (isRefused) {
                                firstRefused.putIfAbsent(lane, place);
                            }
                        }
                    });
        }
    }

    private boolean isBehindRefused(int lane, Place place) {
        Place first = firstRefused.get(lane);
        return first != null && first.compareTo(place) < 0;
    }

    private boolean isBlocked(int lane, Place place) {
        Place first = firsts.get(lane);
        return first != null && first.compareTo(place) < 0;
    }

    private static void addAll(Set<Integer> lanes, int[] more) {
        IntStream.of(more).forEach(lanes::add);
    }

    /** One selection, row by row in the order of their places. */
    private final class Selecting {

        private final long now;
        private final Set<Integer> ahead = new HashSet<>(); // lanes of rows that go on waiting
        private final Set<Integer> unread = new HashSet<>(); // lanes of rows that the next read has
        private final List<Row> take = new ArrayList<>();
        private final List<Split> splits = new ArrayList<>();
        private boolean leavesMoreOut;

        Selecting(long now) {
            this.now = now;
        }

        void leftOut(Place place) {
            Waiting row = waiting.getOrDefault(place, new Waiting(new int[0], now));
            IntPredicate waits = lane -> isBlocked(lane, place) || ahead.contains(lane);
            long held = IntStream.of(row.lanes()).filter(waits).count();
            if (held == 0) {
                due.add(place);
                addAll(unread, row.lanes());
                return;
            }
            if (IntStream.of(row.lanes()).anyMatch(it -> isBehindRefused(it, place))
                    || (held < row.lanes().length && hasWaitedLong(row))) {
                due.add(place);
            }
            addAll(ahead, row.lanes());
        }

        void read(Row row) {
            Place place = row.place();
            int[] lanes = row.items().stream().mapToInt(Item::lane).toArray();
            List<Integer> held =
                    IntStream.range(0, lanes.length)
                            .filter(
                                    i ->
                                            isBlocked(lanes[i], place)
                                                    || ahead.contains(lanes[i])
                                                    || unread.contains(lanes[i]))
                            .boxed()
                            .toList();
            Waiting known = waiting.get(place);
            if (held.isEmpty()) {
                take.add(row);
                waiting.remove(place);
                return;
            }
            addAll(ahead, lanes);
            List<Integer> behind =
                    held.stream().filter(i -> isBehindRefused(lanes[i], place)).toList();
            if (!behind.isEmpty()) { // they would fill what is read of this relay
                splits.add(new Split(row, behind, BEHIND));
                waiting.remove(place);
                return;
            }
            Waiting waits = new Waiting(lanes, known == null ? now : known.since());
            if (known != null || waiting.size() < MOST_LEFT_OUT) {
                waiting.put(place, waits);
                leavesMoreOut |= known == null;
            }
            if (held.size() < lanes.length && hasWaitedLong(waits)) {
                splits.add(new Split(row, held, null));
                waiting.remove(place);
            }
        }

        private boolean hasWaitedLong(Waiting row) {
            return now - row.since() >= WAITS_WHOLE.toNanos();
        }
    }
}
