package dev.envelope.idempotency.dedupe;

import dev.envelope.core.api.Message;
import org.jspecify.annotations.Nullable;

/**
 * Finds the event id of a message: what a producer's duplicate has in common with the first.
 *
 * <p>A message without an id is never a duplicate of another. An empty id counts as none: if it
 * counted as one, the second message of a producer that leaves it empty would be dropped.
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
