package dev.envelope.idempotency.store.row;

import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.timer.Timer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What handlers want to happen with a save.
 *
 * @param timers at most one of each name
 */
public record HandlerEffects(List<Output> outputs, List<Timer> timers, List<Reply> replies) {

    private static final long MOST_BYTES_OF_STATES = 1 << 20;

    /** Nothing is to happen. */
    public static final HandlerEffects NONE = new HandlerEffects(List.of(), List.of(), List.of());

    /** Outputs alone. */
    public static HandlerEffects of(List<Output> outputs) {
        return outputs.isEmpty() ? NONE : new HandlerEffects(outputs, List.of(), List.of());
    }

    public boolean isNothing() {
        return outputs.isEmpty() && timers.isEmpty() && replies.isEmpty();
    }

    /**
     * The state after the save as the answer to commands that have no reply. Each of them gets a
     * copy; null if these were too many bytes, then only the row has the state.
     */
    public byte @Nullable [] stateAsAnswer(byte @Nullable [] state) {
        return state == null || (long) state.length * replies.size() > MOST_BYTES_OF_STATES
                ? null
                : state;
    }

    /**
     * Its approximate size in a statement.
     *
     * @param state after the save
     */
    long bytes(byte @Nullable [] state) {
        byte @Nullable [] copied = stateAsAnswer(state);
        long bytes = copied == null ? 0 : (long) copied.length * replies.size();
        for (Output output : outputs) {
            bytes += output.bytes();
        }
        for (Timer timer : timers) {
            bytes += timer.bytes();
        }
        for (Reply reply : replies) {
            bytes += reply.bytes();
        }
        return bytes;
    }
}
