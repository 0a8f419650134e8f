package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Message;
import org.jspecify.annotations.Nullable;

/**
 * The function that users write: from the state of a key and one message to the next state.
 *
 * <p>It may run more than once for a message before a result is saved; only the saved result
 * counts. It may change the state object that it is given and return it. Threads: called by several
 * workers at once, never by two for the same key at a time.
 *
 * @param <S> the state of a key
 * @param <M> the decoded value of a message
 */
@FunctionalInterface
public interface Fold<S, M> {

    /**
     * Applies one message.
     *
     * @param state what the key's messages so far have made, or null before the first and after a
     *     deletion
     * @param value the decoded value, or null for a tombstone
     * @param message where it came from: key, offset, timestamp, headers
     * @return the next state; null deletes the key's state
     * @throws Exception to have the message tried again and, after the last attempt, handled as the
     *     failure policy says
     */
    @Nullable S apply(@Nullable S state, @Nullable M value, Message message) throws Exception;
}
