package dev.envelope.integration.simulation;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.KeyOrder;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.idempotency.store.row.StoreException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What sessions outside hold locks on: rows, keys that they are just inserting, the whole table.
 * Who meets one waits, leaves out or gives up as the store in Postgres does, in a tenth of its
 * times.
 *
 * <p>Threads: one thread.
 */
final class RowLocks {

    private static final long MILLIS = 1_000_000;
    private static final long LOCK_TIMEOUT = 50 * MILLIS;
    private static final long MOMENT = 2 * MILLIS;
    private static final long STATEMENT_TIMEOUT = 1_500 * MILLIS;

    /** What a save around locks waits at its first statements, at the later ones, and in all. */
    private static final int MAX_MOMENTS = 2;

    private static final long IN_VAIN = MILLIS / 5;
    private static final long AROUND_LOCKS = 20 * MILLIS;

    private static final int MOST_KEYS = 40;

    private final World world;
    private final RandomGenerator random;
    private final Map<String, Long> heldUntil = new HashMap<>(); // by key
    private final Set<String> everHeld = new HashSet<>();
    private long tableHeldUntil;

    RowLocks(World world) {
        this.world = world;
        this.random = world.random();
    }

    void plan() {
        world.plan(world.faults().occurrences(2, 3), () -> hold(world.troubles().someRow(), 3_000));
        world.plan(world.faults().occurrences(3, 1), () -> holdSeveral(3, 5_000));
        world.plan(world.faults().occurrences(3, 2), () -> holdInserted(3_000));
        world.plan(world.faults().occurrences(4, 1), this::holdTable);
    }

    /** So many sessions hold rows, and keys that have none yet, for up to so long. */
    void holdSeveral(int sessions, int millis) {
        for (int i = 0; i < sessions; i++) {
            for (int rows = 1 + random.nextInt(3); rows > 0; rows--) {
                hold(world.troubles().someRow(), millis);
            }
            holdInserted(millis);
        }
    }

    private void holdInserted(int millis) {
        List<String> topics = List.copyOf(world.topics());
        String topic = topics.get(random.nextInt(topics.size()));
        String key = world.settings().rowKey(topic, "k" + random.nextInt(MOST_KEYS));
        if (world.database().row(key) == null) {
            hold(key, millis); // it is rolled back in the end
        }
    }

    private void hold(@Nullable String key, int millis) {
        if (key != null) {
            hold(key, (50 + random.nextInt(millis)) * MILLIS);
        }
    }

    void hold(String key, long nanos) {
        heldUntil.merge(key, world.scheduler().now() + nanos, Math::max);
        everHeld.add(key);
    }

    private void holdTable() {
        tableHeldUntil = world.scheduler().now() + (50 + random.nextInt(2_000)) * MILLIS;
    }

    boolean isHeld(String key) {
        return world.scheduler().now() < heldUntil.getOrDefault(key, 0L);
    }

    /** Whether anybody has held it in this seed. */
    boolean wasHeld(String key) {
        return everHeld.contains(key);
    }

    private boolean isHeld(Change change) {
        return !change.isWithoutRow() && isHeld(change.key());
    }

    private boolean isTableHeld() {
        return world.scheduler().now() < tableHeldUntil;
    }

    /**
     * How long whoever waits for one of the locks, on a thread of its own, waits before it can try.
     * It is told beforehand, because nobody goes on while another waits inside of him.
     */
    long untilOneIsFree() {
        long now = world.scheduler().now();
        long nanos =
                heldUntil.values().stream()
                        .mapToLong(it -> it - now)
                        .filter(it -> it > 0)
                        .min()
                        .orElse(0);
        return Math.min(nanos, STATEMENT_TIMEOUT);
    }

    /** A statement that reads. */
    void read() {
        if (isTableHeld()) {
            world.faults().landed(Fault.TABLE_LOCKED);
            if (!waitUntil(() -> !isTableHeld(), LOCK_TIMEOUT)) {
                throw new UnavailableException("lock timeout");
            }
        }
    }

    /** A save of one row, of an operator's request. */
    void take(String key) {
        read();
        if (isHeld(key)) {
            world.faults().landed(Fault.ROW_LOCKED);
            if (!waitUntil(() -> !isHeld(key), LOCK_TIMEOUT)) {
                throw rowLocked();
            }
        }
    }

    /** A save: the places of the changes whose rows are to be had. */
    List<Integer> take(List<Change> changes, Patience patience) {
        takeTable(patience);
        count(changes);
        if (patience == Patience.SKIP) {
            return new AroundLocks(changes).take();
        }
        boolean isFree =
                changes.stream().noneMatch(this::isHeld)
                        || (patience == Patience.WAIT
                                && waitUntil(
                                        () -> changes.stream().noneMatch(this::isHeld),
                                        LOCK_TIMEOUT));
        if (!isFree) { // who waits alone has had his time
            throw rowLocked();
        }
        return places(changes);
    }

    private void takeTable(Patience patience) {
        if (!isTableHeld()) {
            return;
        }
        world.faults().landed(Fault.TABLE_LOCKED);
        long timeout = patience == Patience.SKIP ? MOMENT : LOCK_TIMEOUT;
        if (!waitUntil(() -> !isTableHeld(), timeout)) {
            if (patience == Patience.SKIP) {
                throw new UnavailableException("another session holds a lock on the whole table");
            }
            throw rowLocked();
        }
    }

    private void count(List<Change> changes) {
        int rows = 0;
        int inserted = 0;
        for (Change change : changes) {
            if (isHeld(change)) {
                rows++;
                inserted += world.database().row(change.key()) == null ? 1 : 0;
            }
        }
        if (rows > 0) {
            world.faults().landed(rows > 1 ? Fault.ROWS_LOCKED : Fault.ROW_LOCKED);
        }
        if (inserted > 0) {
            world.faults().landed(Fault.KEY_INSERTED);
        }
    }

    private boolean waitUntil(BooleanSupplier isFree, long timeout) {
        world.scheduler().runUntil(world.scheduler().now() + timeout, isFree);
        return isFree.getAsBoolean();
    }

    private static StoreException rowLocked() {
        return new StoreException.RowLocked("lock timeout", new SQLException("lock timeout"));
    }

    private static List<Integer> places(List<Change> changes) {
        List<Integer> places = new ArrayList<>();
        for (int place : KeyOrder.places(changes, Change::key)) {
            places.add(place);
        }
        return places;
    }

    /**
     * Rows that are held are left out at once. For a key that somebody is inserting the statement
     * waits a moment, and what has waited in vain is split, down to the row, while there is time.
     */
    private final class AroundLocks {

        private final List<Change> changes;

        AroundLocks(List<Change> changes) {
            this.changes = changes;
        }

        List<Integer> take() {
            List<Integer> taken = new ArrayList<>();
            long end = world.scheduler().now() + AROUND_LOCKS;
            Deque<List<Integer>> open = new ArrayDeque<>(List.of(places(changes)));
            for (int inVain = 0; !open.isEmpty() && world.scheduler().now() < end; ) {
                List<Integer> places = open.removeFirst();
                long patience = inVain < MAX_MOMENTS ? MOMENT : IN_VAIN;
                if (waitUntil(() -> places.stream().noneMatch(this::isInserted), patience)) {
                    places.stream().filter(it -> !isHeld(changes.get(it))).forEach(taken::add);
                } else {
                    inVain++;
                    open.addAll(parts(places));
                }
            }
            return taken;
        }

        private List<List<Integer>> parts(List<Integer> places) {
            Map<Boolean, List<Integer>> byNew =
                    places.stream().collect(Collectors.partitioningBy(this::isNew));
            if (byNew.values().stream().noneMatch(List::isEmpty)) {
                return List.copyOf(byNew.values());
            }
            int middle = places.size() / 2;
            return middle == 0
                    ? List.of()
                    : List.of(places.subList(0, middle), places.subList(middle, places.size()));
        }

        private boolean isNew(int place) {
            Change change = changes.get(place);
            return !change.isWithoutRow() && change.fromVersion() == Snapshot.ABSENT;
        }

        private boolean isInserted(int place) {
            Change change = changes.get(place);
            return isHeld(change) && world.database().row(change.key()) == null;
        }
    }
}
