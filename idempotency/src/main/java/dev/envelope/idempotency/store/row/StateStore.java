package dev.envelope.idempotency.store.row;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.TimerId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rows: one per key, saved by compare-and-set.
 *
 * <p>Threads: called by several workers at once, never by two with the same key at a time; may
 * block, within its own timeouts. All methods throw {@link UnavailableException} when the outcome
 * is unknown (a save may have succeeded: load before doing anything else), and {@link
 * OtherIncarnationException} when the database is in another incarnation than the given one; then
 * nothing was read or written.
 */
public interface StateStore {

    /**
     * The rows of these keys, from the primary. A key that is missing in the result, or in it as
     * absent, has no row. If rows of deleted keys were purged, every key is in the result, with the
     * purge marks.
     *
     * <p>The result is limited in bytes: rows beyond the limit are in it as {@linkplain
     * Snapshot#isLeftOut left out}. The row of the first key never is.
     *
     * @param keys distinct; none of messages without a row; those whose rows are wanted most come
     *     first
     */
    Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation);

    /**
     * Those of these timers that have fired or are due, by key and name; from the primary. They
     * belong to the row if they were read after it, and its version is still the same.
     */
    Map<String, Map<String, DueTimer>> dueTimers(
            Collection<TimerId> timers, Incarnation incarnation);

    /**
     * Of these commands those whose answer says that they were applied, and where their messages
     * are; from the primary. They belong to the row as fired timers do.
     */
    Map<CommandId, Reply.At> appliedCommands(
            Collection<CommandId> commands, Incarnation incarnation);

    /**
     * Of these rows of a table, by their ids, those that are not done; from the primary. They
     * belong to the row of their key as fired timers do.
     */
    Set<String> waiting(Collection<String> rowIds, Incarnation incarnation);

    /**
     * Saves all these changes in one transaction; durable on return. A change whose row is no
     * longer at its version is left out, and so are its parked messages.
     *
     * @param changes of distinct keys, in any order; there may be several without a row
     * @return for each change, in the order given, whether it was saved
     * @throws StoreException.RowFault if a row can't be stored as it is; nothing was saved
     * @throws StoreException.RowLocked if a lock could not be had in time; nothing was saved
     */
    boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation);

    /** What a save does about locked rows. */
    enum Patience {
        /** Wait for their locks a short while. */
        WAIT,
        /** Save the rows that are not locked, leave the others. */
        SKIP,
        /**
         * Wait for the locks on a connection of its own, as long as the statement timeout, so that
         * no other save waits.
         */
        ALONE
    }
}
