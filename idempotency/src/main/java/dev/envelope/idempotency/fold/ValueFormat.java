package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Message;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the value of a message for the fold.
 *
 * <p>Threads: thread-safe.
 *
 * @param <M> the decoded value of a message
 */
@FunctionalInterface
public interface ValueFormat<M> {

    /**
     * Decodes a value. Not called for tombstones.
     *
     * @param value the record's value, not to be changed
     * @param message the message of the value, for headers and topic
     * @return null if the value says that its key is deleted, as a tombstone does
     * @throws MalformedException if the bytes are not of this format
     */
    @Nullable M decode(byte[] value, Message message);
}
