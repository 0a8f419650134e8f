package dev.envelope.idempotency.store.place;

import dev.envelope.idempotency.store.reply.ReplyStore;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;

/**
 * The answers to commands of one slot, for callers outside. A command's answer is in the slot of
 * its key.
 *
 * <p>Threads: thread-safe (its parts are).
 */
final class DividedReplies implements ReplyStore {

    private final int slot;
    private final Places places;
    private final Reachable reachable;

    DividedReplies(int slot, Places places, Reachable reachable) {
        this.slot = slot;
        this.places = places;
        this.reachable = reachable;
    }

    private ReplyStore replies() {
        return places.slots().get(slot).replies();
    }

    @Override
    public Map<CommandId, Answer> find(Collection<CommandId> commands) {
        return places.ask(slot, reachable, () -> replies().find(commands));
    }

    @Override
    public int forget(Duration age, int most) {
        return replies().forget(age, most);
    }
}
