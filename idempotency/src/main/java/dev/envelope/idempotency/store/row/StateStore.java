package dev.envelope.idempotency.store.row;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * The rows: one per key, saved by compare-and-set.
 *
 * <p>Threads: called by several workers at once, never by two with the same key at a time; may
 * block, within its own timeouts. Both methods throw {@link UnavailableException} when nobody knows
 * what happened (it may have been saved: look before doing anything else), and {@link
 * OtherIncarnationException} when the database is in another life than the one given; then nothing
 * was read or written.
 */
public interface StateStore {

    /**
     * The rows of these keys, from the primary. A key that is missing in the answer has no row. Nor
     * has one that is there as absent. Where rows of deleted keys were purged, each key of the
     * answer says how far, and none is missing.
     *
     * <p>What a load brings is bounded in bytes: of rows beyond that the answer says that they were
     * {@linkplain Snapshot#isLeftOut left out}. The row of a single key never is.
     *
     * @param keys distinct, none of them of no row
     */
    Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation);

    /**
     * Saves all these changes in one transaction; durable on return. A change whose row is no
     * longer at its version is left out, and so are its parked messages.
     *
     * @param changes of distinct keys, in any order; of those without a row there may be several
     * @return for each change, in the order given, whether it was saved
     * @throws StoreException.RowFault if a row can't be stored as it is; nothing was saved
     * @throws StoreException.RowLocked if a lock was not to be had in time; nothing was saved
     */
    boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation);

    /** What a save does about rows that somebody else is at. */
    enum Patience {
        /** Wait for them a short while. */
        WAIT,
        /** Take what can be had at once, leave the others unsaved. */
        SKIP,
        /** Wait for them in such a way that no other save waits with it; wait for it, too. */
        ALONE
    }
}
