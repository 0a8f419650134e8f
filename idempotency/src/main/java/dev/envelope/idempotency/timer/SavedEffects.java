package dev.envelope.idempotency.timer;

import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.timer.Timer;
import java.util.List;
import java.util.function.Consumer;

/**
 * Who hears at once what a save has left for others: the room for outputs, which wakes the relay,
 * and the timers. Whatever saves a handler's effects tells them here.
 *
 * @param outputs while it is full, nothing that emits is folded
 * @param timers is told of the timers that were set; must return at once
 */
public record SavedEffects(OutputRoom outputs, Consumer<List<Timer>> timers) {

    /** For a handler without effects. */
    public static final SavedEffects NONE = new SavedEffects(OutputRoom.endless(), timers -> {});

    /** Tells of the effects of a save. */
    public void saved(HandlerEffects effects) {
        outputs.saved(effects.outputs());
        if (!effects.timers().isEmpty()) {
            timers.accept(effects.timers());
        }
    }
}
