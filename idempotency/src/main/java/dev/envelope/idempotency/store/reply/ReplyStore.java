package dev.envelope.idempotency.store.reply;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.reply.Reply.Result;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answers to commands. Saves write them ({@link Reply}); here they are read, and deleted when
 * they are old.
 *
 * <p>Threads: may block, within its own timeouts; throws {@link UnavailableException}.
 */
public interface ReplyStore {

    /** Once answers of this size are found, the others are left for the next look. */
    long MOST_BYTES = 8L << 20;

    /** Which command of which row. */
    record CommandId(String key, String command) {}

    /**
     * An answer.
     *
     * @param value null also where the state was too large to be copied
     * @param isState whether the value is the state after the save, not a reply of the handler
     * @param version of the row after the save
     * @param topic of the command's message; null if its source was deleted
     */
    record Answer(
            Result result,
            @Nullable String reason,
            byte @Nullable [] value,
            boolean isState,
            long version,
            @Nullable String topic,
            int partition,
            long offset,
            Instant madeAt) {}

    /** The answers that there are; of those that are very large together, only the first. */
    Map<CommandId, Answer> find(Collection<CommandId> commands);

    /**
     * Deletes answers that are older than this, the oldest first.
     *
     * @return how many were deleted
     */
    int forget(Duration age, int most);
}
