package dev.envelope.integration.simulation;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.Fold;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The handler of the simulation: writes down which messages were applied, throws and dawdles as the
 * faults will have it, always after it has changed the state that it was given.
 *
 * <p>Threads: one thread.
 */
final class TraceFold implements Fold<Trace, String> {

    private final SimInstance owner;
    private final World world;

    TraceFold(SimInstance owner, World world) {
        this.owner = owner;
        this.world = world;
    }

    @Override
    public @Nullable Trace apply(@Nullable Trace state, @Nullable String value, Message message) {
        world.checks().foldBegins(owner, message);
        try {
            return fold(state, value, message);
        } finally {
            world.checks().foldEnds(owner, message);
        }
    }

    private @Nullable Trace fold(@Nullable Trace state, @Nullable String value, Message message) {
        Trace next = value == null || state != null ? state : new Trace(new ArrayList<>());
        if (next != null) {
            next.add(Trace.place(message));
        }
        if (world.random().nextInt(10) == 0) {
            world.scheduler().block(world.random().nextInt(3_000_000)); // well within a turn
            owner.gate();
        }
        if (world.faults().happens(Fault.FOLD_SLOW)) {
            world.scheduler().block(100_000_000L + world.random().nextInt(1_500_000_000));
            owner.gate();
        }
        if (world.faults().happens(Fault.FOLD_THROWS)) {
            throw new IllegalStateException("not today");
        }
        return value == null ? null : next;
    }
}
