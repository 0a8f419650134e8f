package dev.envelope.integration.cluster;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Skip;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.Uuid;

/**
 * Checkpoints before and behind which the process may end.
 *
 * <p>Threads: thread-safe (its parts are).
 */
record AimedCheckpoints(Checkpoints checkpoints, Trigger trigger) implements Checkpoints {

    private static final int COMMIT_TAKES_NANOS = 3_000_000;

    @Override
    public Bearings read(Set<String> topics) {
        return checkpoints.read(topics);
    }

    @Override
    public Bearings introduce(Collection<NewSource> sources) {
        return checkpoints.introduce(sources);
    }

    @Override
    public Bearings adopt(String topic, Uuid former, Uuid present) {
        return checkpoints.adopt(topic, former, present);
    }

    @Override
    public void skip(int source, List<Skip> skips, Incarnation incarnation) {
        checkpoints.skip(source, skips, incarnation);
    }

    @Override
    public void settle(int source) {
        checkpoints.settle(source);
    }

    @Override
    public Set<Integer> save(Map<Integer, NextOffset> nextBySource, Incarnation incarnation) {
        trigger.besideWorkAt(Aim.AFTER_ACK);
        Set<Integer> saved = checkpoints.save(nextBySource, incarnation);
        // The commit is sent when we return: end at some moment of its way to the broker and back.
        long moment = ThreadLocalRandom.current().nextInt(COMMIT_TAKES_NANOS);
        Thread watcher =
                new Thread(
                        () -> {
                            LockSupport.parkNanos(moment);
                            trigger.besideWorkAt(Aim.DURING_COMMIT);
                        },
                        "during-commit");
        watcher.setDaemon(true);
        watcher.start();
        return saved;
    }

    @Override
    public Pauses pauses() {
        return checkpoints.pauses();
    }

    @Override
    public Incarnation incarnation() {
        return checkpoints.incarnation();
    }
}
