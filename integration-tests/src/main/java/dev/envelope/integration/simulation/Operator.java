package dev.envelope.integration.simulation;

import dev.envelope.idempotency.store.InMemoryParkedStore;
import dev.envelope.idempotency.store.ParkedMessage;
import dev.envelope.idempotency.store.ParkedStore.Action;
import dev.envelope.idempotency.store.ParkedStore.Parked;
import java.util.TreeSet;

/**
 * A person who looks now and then: has parked messages redriven, and skips those that are no
 * messages at all.
 *
 * <p>Threads: one thread.
 */
final class Operator {

    private static final int MOST_AT_ONCE = 20;

    private final World world;
    private final InMemoryParkedStore store;

    Operator(World world) {
        this.world = world;
        this.store = new InMemoryParkedStore(world.database(), "operator", world.scheduler()::now);
    }

    /** Asks for something for each key that has parked messages, if nothing is asked for yet. */
    void look() {
        if (store.open() > 0) {
            return;
        }
        TreeSet<String> keys = new TreeSet<>();
        for (ParkedMessage message : world.database().parked()) {
            if (message.rowKey() != null && keys.size() < MOST_AT_ONCE) {
                keys.add(message.rowKey());
            }
        }
        for (String key : keys) {
            Parked first = store.first(key, 1).get(0);
            world.faults().landed(Fault.PARKED);
            if (Reference.isMalformed(first.message().value())) {
                store.ask(key, Action.SKIP, first.position());
            } else {
                store.ask(key, Action.REDRIVE, null);
            }
        }
    }

    /** Whether no key has parked messages any more. */
    boolean isContent() {
        return world.database().parked().stream().allMatch(it -> it.rowKey() == null);
    }
}
