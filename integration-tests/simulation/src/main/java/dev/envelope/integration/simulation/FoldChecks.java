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
    private final Map<String, Integer> failed = new HashMap<>(); // by place

    private final Map<String, Integer> charged = new HashMap<>();

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

    /** It has thrown, or has taken longer than it may. */
    void failed(Message message) {
        failed.merge(Trace.place(message), 1, Integer::sum);
    }

    /** How often a fold of this message failed, in whatever process. */
    int failuresOf(Message message) {
        return failed.getOrDefault(Trace.place(message), 0);
    }

    /** An attempt is counted: a fold of the message must have failed for it. */
    void charged(SimInstance process, Message message, Throwable cause) {
        int times = charged.merge(Trace.place(message), 1, Integer::sum);
        if (times > failuresOf(message)) {
            world.checks()
                    .fail(
                            "charged",
                            process.name() + " counts an attempt of " + message + ": " + cause);
        }
    }

    private static Of of(SimInstance process, Message message) {
        return new Of(process.name(), message.epoch(), message.key());
    }
}
