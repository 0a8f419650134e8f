package dev.envelope.core.fetch;

import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * The partitions that a person does not want to be fetched for a while: what was fetched is still
 * saved and committed. It holds for this process alone, and as long as it runs: a partition that
 * the group gives to another is read there.
 *
 * <p>Threads: poll thread only.
 */
final class OperatorPauses {

    private final Set<TopicPartition> paused = new HashSet<>();
    private boolean areAll;

    void pause(TopicPartition partition) {
        paused.add(partition);
    }

    void pauseAll() {
        areAll = true;
    }

    /** One alone; no effect while all are paused. */
    void resume(TopicPartition partition) {
        paused.remove(partition);
    }

    void resumeAll() {
        areAll = false;
        paused.clear();
    }

    boolean holds(TopicPartition partition) {
        return areAll || paused.contains(partition);
    }
}
