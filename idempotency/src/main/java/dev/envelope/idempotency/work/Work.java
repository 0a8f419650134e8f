package dev.envelope.idempotency.work;

import dev.envelope.core.api.Message;
import org.jspecify.annotations.Nullable;

/**
 * What users write who have no rows: does something with one message.
 *
 * <p>It may be called again for a message that it has handled, for instance after a crash. Threads:
 * called by several workers at once, for messages that are kept in order by one after the other.
 *
 * @param <M> the decoded value of a message
 */
@FunctionalInterface
public interface Work<M> {

    /**
     * Handles one message; when it returns, the message is done.
     *
     * @param value the decoded value, or null for a tombstone
     * @param message where it came from: key, offset, timestamp, headers
     * @throws Exception to have the message tried again and, after the last attempt, handled as the
     *     failure policy says
     */
    void run(@Nullable M value, Message message) throws Exception;
}
