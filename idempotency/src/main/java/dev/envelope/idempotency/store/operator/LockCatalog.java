package dev.envelope.idempotency.store.operator;

import java.time.Duration;
import java.util.List;

/**
 * Which sessions hold a lock that our saves meet. Saves skip locked rows, so {@code pg_locks}
 * mostly has no waiting session to find the holder by. It is found by the row, whose {@code xmax}
 * names the transaction that has locked it.
 *
 * <p>Threads: one thread.
 */
public interface LockCatalog extends Catalog {

    /**
     * A session that holds a lock.
     *
     * @param application its {@code application_name}
     * @param state {@code active}, {@code idle in transaction}; empty if our role may not see it
     * @param since how long ago its transaction began
     */
    record Holder(int pid, String user, String application, String state, Duration since) {}

    /**
     * The sessions that hold the row of a key, five at most; none if it is free by now, or is being
     * inserted.
     */
    List<Holder> ofRow(String key);

    /** The sessions whose lock blocks the whole table of rows. */
    List<Holder> ofTable();
}
