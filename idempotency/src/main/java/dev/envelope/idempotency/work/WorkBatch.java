package dev.envelope.idempotency.work;

import dev.envelope.core.api.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What users write who have no rows and can do something with several messages at once: those of a
 * key, in their order, or, unordered, of any.
 *
 * <p>It may be called again for messages that it has handled. Threads: called by several workers at
 * once, for messages that are kept in order by one after the other.
 *
 * @param <M> the decoded value of a message
 */
@FunctionalInterface
public interface WorkBatch<M> {

    /**
     * One message of a batch.
     *
     * @param value the decoded value, or null for a tombstone
     * @param message where it came from: key, offset, timestamp, headers
     */
    record Item<M>(@Nullable M value, Message message) {}

    /**
     * Handles messages; when it returns, all of them are done.
     *
     * @param batch at least one
     * @throws PartlyDoneException to say which message has failed: that one is tried again
     * @throws Exception to have each message tried again by itself, so that it shows which of them
     *     has failed
     */
    void run(List<Item<M>> batch) throws Exception;
}
