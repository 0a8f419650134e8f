package dev.envelope.idempotency.work;

import dev.envelope.core.api.Message;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * What users write whose effect is in the application's own database, but is no row for each key:
 * does something with one message through the given connection.
 *
 * <p>The transaction of the connection also marks the message as done. So what is written through
 * it is there once, however often the message comes. What else is done may be done again, as with
 * {@link Work}. Threads: called by several workers at once, for messages that are kept in order by
 * one after the other.
 *
 * @param <M> the decoded value of a message
 */
@FunctionalInterface
public interface WorkInTransaction<M> {

    /**
     * Handles one message; when it returns, the transaction is committed.
     *
     * @param value the decoded value, or null for a tombstone
     * @param message where it came from: key, offset, timestamp, headers
     * @param connection in a transaction that it can't end; of no use any more once it has returned
     * @throws Exception to have the transaction rolled back, and the message tried again and, after
     *     the last attempt, handled as the failure policy says
     */
    void run(@Nullable M value, Message message, Connection connection) throws Exception;
}
