package dev.envelope.idempotency.store.operator;

import java.time.Duration;
import java.util.List;

/**
 * Who holds a lock that we wait for. Nobody waits in the server itself, where rows that are locked
 * are gone around, so it is told from the row: it names the transaction that has locked it.
 *
 * <p>Threads: one thread.
 */
public interface LockCatalog extends Catalog {

    /**
     * A session that holds one.
     *
     * @param application by the name that it gives itself
     * @param state {@code active}, {@code idle in transaction}; empty where that may not be seen
     * @param since the begin of its transaction
     */
    record Holder(int pid, String user, String application, String state, Duration since) {}

    /**
     * Who holds the row of a key, five at most; nobody if it is free by now, or is only just being
     * inserted.
     */
    List<Holder> ofRow(String key);

    /** Who keeps everybody from the table of rows. */
    List<Holder> ofTable();
}
