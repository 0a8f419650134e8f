package dev.envelope.integration.simulation;

import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.idempotency.store.row.Change;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Transactions whose connection was cut before they ended: the server goes on with them. It keeps
 * their rows locked, and commits them, or finds that nobody is there and undoes them, when who sent
 * them has long been told that he does not know.
 *
 * <p>Threads: one thread.
 */
final class InFlight {

    private static final long MILLIS = 1_000_000;

    private final World world;
    private final Map<String, Integer> keys = new HashMap<>(); // how many have it

    InFlight(World world) {
        this.world = world;
    }

    /** Has it end later, in one way or the other. */
    void leave(List<Change> changes, Runnable commit) {
        long nanos = (1 + world.random().nextInt(2_000)) * MILLIS;
        changes.forEach(it -> begin(it, nanos));
        boolean isCommitted = world.random().nextInt(3) > 0;
        world.scheduler()
                .after(
                        nanos,
                        () -> {
                            changes.forEach(this::end);
                            if (isCommitted) {
                                commit(commit);
                            }
                        });
    }

    private void begin(Change change, long nanos) {
        if (!change.isWithoutRow()) {
            keys.merge(change.key(), 1, Integer::sum);
            world.locks().hold(change.key(), nanos);
        }
    }

    private void end(Change change) {
        keys.computeIfPresent(change.key(), (key, count) -> count == 1 ? null : count - 1);
    }

    private void commit(Runnable commit) {
        try {
            commit.run();
            world.faults().landed(Fault.COMMITTED_LATE);
        } catch (OtherIncarnationException e) {
            return; // the server was restarted meanwhile: nothing is left of it
        }
    }

    /** Whether a transaction has this key's row. */
    boolean has(String key) {
        return keys.containsKey(key);
    }
}
