package dev.envelope.idempotency.dedupe;

import dev.envelope.core.api.Message;
import org.jspecify.annotations.Nullable;

/**
 * Finds the event id of a message: the id that a producer's duplicates share.
 *
 * <p>A message without an id is never a duplicate by id. An empty id counts as none; otherwise the
 * second message of a producer that leaves it empty would be dropped.
 *
 * <p>Threads: thread-safe.
 */
@FunctionalInterface
public interface MessageIds {

    /** Where no event ids are configured. */
    MessageIds NONE = message -> null;

    /**
     * The hash of the message's event id, or null where it has none.
     *
     * @throws dev.envelope.idempotency.fold.MalformedException if the id is in the value, and the
     *     value can't be read
     */
    @Nullable IdHash find(Message message);
}
