package dev.envelope.integration.simulation;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What must hold of folds: within an epoch one of a key at a time (I3).
 *
 * <p>Threads: one thread.
 */
final class FoldChecks {

    private record Of(String process, PartitionEpoch epoch, String key) {}

    private final World world;
    private final Set<Of> underWay = new HashSet<>();
    private final Map<String, Integer> thrown = new HashMap<>(); // by place

    FoldChecks(World world) {
        this.world = world;
    }

    void begins(SimInstance process, Message message) {
        if (!underWay.add(of(process, message))) {
            world.checks()
                    .fail("overlap", "two folds of " + message.key() + " in " + process.name());
        }
    }

    void ends(SimInstance process, Message message) {
        underWay.remove(of(process, message));
    }

    void threw(Message message) {
        thrown.merge(Trace.place(message), 1, Integer::sum);
    }

    /** How often a fold of this message threw, in whatever process. */
    int throwsOf(Message message) {
        return thrown.getOrDefault(Trace.place(message), 0);
    }

    private static Of of(SimInstance process, Message message) {
        return new Of(process.name(), message.epoch(), message.key());
    }
}
