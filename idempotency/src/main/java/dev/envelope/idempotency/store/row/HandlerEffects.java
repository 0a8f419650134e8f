package dev.envelope.idempotency.store.row;

import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.timer.Timer;
import java.util.List;

/**
 * What handlers want to happen with a save.
 *
 * @param timers at most one of each name
 */
public record HandlerEffects(List<Output> outputs, List<Timer> timers, List<Reply> replies) {

    /** Nothing is to happen. */
    public static final HandlerEffects NONE = new HandlerEffects(List.of(), List.of(), List.of());

    /** Outputs alone. */
    public static HandlerEffects of(List<Output> outputs) {
        return outputs.isEmpty() ? NONE : new HandlerEffects(outputs, List.of(), List.of());
    }

    public boolean isNothing() {
        return outputs.isEmpty() && timers.isEmpty() && replies.isEmpty();
    }

    /** Its approximate size in a statement. */
    long bytes() {
        long bytes = 0;
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
