package dev.envelope.idempotency.timer;

import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.timer.Timer;
import java.util.List;
import java.util.function.Consumer;

/**
 * Who hears at once what a save has left for others: the room for outputs, which wakes the relay,
 * the timers, and callers who wait for an answer. Whatever saves a handler's effects tells them
 * here.
 *
 * @param outputs while it is full, nothing that emits is folded
 * @param timers is told of the timers that were set; must return at once
 * @param answers is told of the commands that have an answer now; must return at once
 */
public record SavedEffects(
        OutputRoom outputs, Consumer<List<Timer>> timers, Consumer<CommandId> answers) {

    /** For a handler without effects. */
    public static final SavedEffects NONE =
            new SavedEffects(OutputRoom.endless(), timers -> {}, command -> {});

    /** Tells of the effects of a save of that row. */
    public void saved(String key, HandlerEffects effects) {
        outputs.saved(effects.outputs());
        if (!effects.timers().isEmpty()) {
            timers.accept(effects.timers());
        }
        for (Reply reply : effects.replies()) {
            answers.accept(new CommandId(key, reply.command()));
        }
    }
}
