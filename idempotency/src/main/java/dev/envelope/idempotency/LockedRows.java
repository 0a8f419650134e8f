package dev.envelope.idempotency;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.envelope.idempotency.store.save.Fate;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The rows that other database sessions hold locks on, in the order in which that was found. No
 * worker waits for a lock: the row is tried again after a while. One thread with a connection of
 * its own waits for the lock of the first row, so that a row that is locked again and again is
 * saved in the end.
 *
 * <p>Threads: guarded by this.
 */
final class LockedRows {

    private static final int MISSED = 64;
    private static final int MOST_FOR_TURNS = 1_000;

    private final @Nullable Executor waiter;

    @GuardedBy("this")
    private final Map<String, Long> seen =
            new LinkedHashMap<>(); // by key: the value of looks when it was locked last

    /** Keys of which only a turn can settle what became of the save that waited. */
    @GuardedBy("this")
    private final Set<String> forTurns = new HashSet<>();

    @GuardedBy("this")
    private long looks;

    @GuardedBy("this")
    private boolean isWaiting;

    /**
     * @param waiter runs the saves that wait, one after the other; null if none waits
     */
    LockedRows(@Nullable Executor waiter) {
        this.waiter = waiter;
    }

    /** Another session holds this row. */
    synchronized void met(String key) {
        looks++;
        seen.put(key, looks); // a key that is in the map keeps its place
        forTurns.remove(key);
    }

    /** The row was saved. */
    synchronized void free(String key) {
        seen.remove(key);
        forTurns.remove(key);
    }

    /**
     * The save that waited has ended otherwise. If the database has refused the row, or could not
     * serve, the row is tried in turns until it is saved or locked again: there a refused message
     * is looked for and set aside, and a database that is away is waited for.
     */
    synchronized void notSaved(String key, @Nullable Fate fate) {
        if (fate instanceof Fate.Faulty || fate instanceof Fate.Unknown) {
            if (forTurns.size() == MOST_FOR_TURNS) {
                forTurns.clear(); // of keys that have moved to other processes, mostly
            }
            forTurns.add(key);
        }
    }

    /**
     * Runs the save that waits for this row's lock. Call it only after {@link #isNext} returned
     * true.
     */
    void await(String key, Runnable saving) {
        Objects.requireNonNull(waiter)
                .execute(
                        () -> {
                            try {
                                saving.run();
                            } finally {
                                over(key);
                            }
                        });
    }

    /** Whether this row is the next to wait for; if so, the caller must call {@link #await}. */
    synchronized boolean isNext(String key) {
        // A key that is not tried any more has moved to another process: the others don't wait
        // behind it.
        long missed = looks - 2L * seen.size() - MISSED;
        Iterator<Map.Entry<String, Long>> first = seen.entrySet().iterator();
        while (first.hasNext() && first.next().getValue() < missed) {
            first.remove();
        }
        boolean isFirst = seen.isEmpty() || seen.keySet().iterator().next().equals(key);
        if (waiter == null || isWaiting || !isFirst || forTurns.contains(key)) {
            return false;
        }
        isWaiting = true;
        return true;
    }

    /** The wait is over. If the row is still locked, it goes to the end of the order. */
    private synchronized void over(String key) {
        isWaiting = false;
        seen.remove(key);
    }
}
