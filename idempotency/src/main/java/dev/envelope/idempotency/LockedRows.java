package dev.envelope.idempotency;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Rows that sessions outside hold locks on, in the order in which that was found. No worker waits
 * for any of them: each is tried again after a while, and takes what it finds. But the first is
 * also waited for, on a thread and a connection of its own, one at a time: so a row that is locked
 * again and again has its turn, too.
 *
 * <p>Threads: guarded by this.
 */
final class LockedRows {

    private static final int MISSED = 64;

    private final @Nullable Executor waiter;

    @GuardedBy("this")
    private final Map<String, Long> seen = new LinkedHashMap<>(); // by key: the last look at it

    @GuardedBy("this")
    private long looks;

    @GuardedBy("this")
    private boolean isWaiting;

    /**
     * @param waiter runs what waits, one after the other; null if none is waited for
     */
    LockedRows(@Nullable Executor waiter) {
        this.waiter = waiter;
    }

    /** Another session holds this row. */
    synchronized void met(String key) {
        looks++;
        seen.put(key, looks); // keeps its place
    }

    /** Nobody does any more. */
    synchronized void free(String key) {
        seen.remove(key);
    }

    /** Has this row waited for, which is the {@linkplain #isNext next}. */
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

    /** Whether it is this row's turn to be waited for; if so, the caller has to see to it. */
    synchronized boolean isNext(String key) {
        // A key that is not tried any more has gone to another process: nobody waits behind it.
        long missed = looks - 2L * seen.size() - MISSED;
        Iterator<Map.Entry<String, Long>> first = seen.entrySet().iterator();
        while (first.hasNext() && first.next().getValue() < missed) {
            first.remove();
        }
        boolean isFirst = seen.isEmpty() || seen.keySet().iterator().next().equals(key);
        if (waiter == null || isWaiting || !isFirst) {
            return false;
        }
        isWaiting = true;
        return true;
    }

    /** It has had its time: if it is locked still, it is the last now. */
    private synchronized void over(String key) {
        isWaiting = false;
        seen.remove(key);
    }
}
