package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Message;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the value of a message for the fold.
 *
 * <p>Threads: thread-safe.
 *
 * @param <M> what the fold is given
 */
@FunctionalInterface
public interface ValueFormat<M> {

    /**
     * Decodes a value that is there; tombstones don't come here.
     *
     * @param value the record's value, not to be changed
     * @param message the message that it belongs to, for headers and the topic
     * @return null if it says that its key is deleted, as a tombstone does
     * @throws MalformedException if the bytes are not of this format
     */
    @Nullable M decode(byte[] value, Message message);
}
