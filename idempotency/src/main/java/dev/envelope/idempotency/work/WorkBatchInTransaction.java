package dev.envelope.idempotency.work;

import dev.envelope.idempotency.work.WorkBatch.Item;
import java.sql.Connection;
import java.util.List;

/**
 * The same as {@link WorkInTransaction} for several messages in one transaction: those of a key, in
 * their order, or, unordered, of any.
 *
 * @param <M> the decoded value of a message
 */
@FunctionalInterface
public interface WorkBatchInTransaction<M> {

    /**
     * Handles messages; when it returns, the transaction is committed, and all of them are done.
     *
     * @param batch at least one; none that is done already
     * @param connection in a transaction that it can't end; of no use any more once it has returned
     * @throws Exception to have the transaction rolled back, and each message tried again by
     *     itself, so that it shows which of them has failed
     */
    void run(List<Item<M>> batch, Connection connection) throws Exception;
}
