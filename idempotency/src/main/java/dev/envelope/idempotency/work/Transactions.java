package dev.envelope.idempotency.work;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.dedupe.RewrittenLogException;
import dev.envelope.idempotency.store.row.StoreException;
import java.sql.Connection;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Has something done with messages once: in a transaction that also marks them as done.
 *
 * <p>Threads: thread-safe.
 */
@FunctionalInterface
public interface Transactions {

    /** Without a database nothing is marked, and everything is done as often as it is asked for. */
    Transactions NONE =
            (messages, action) -> {
                BitSet none = new BitSet(0);
                action.run(none, null);
                return none;
            };

    /**
     * Does it with those of the messages that are not done, if there are any, and marks them.
     *
     * @return the places of those that were done before
     * @throws UnavailableException if the database can't be used, or is in another life than the
     *     messages' positions were read in; what became of a commit is not known then
     * @throws StoreException.RowLocked if somebody else holds a lock, or is at one of them right
     *     now
     * @throws RewrittenLogException if what is marked is another record than the message
     * @throws Exception what the action has thrown; then nothing is done
     */
    BitSet once(List<Message> messages, Action action) throws Exception;

    /** What is done. */
    @FunctionalInterface
    interface Action {

        /**
         * Does it.
         *
         * @param before the places of messages that are done and left out
         * @param connection null without a database
         */
        void run(BitSet before, @Nullable Connection connection) throws Exception;
    }
}
