package dev.envelope.core.assignment;

import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * The partitions that a person does not want to be fetched for a while: what was fetched is still
 * saved and committed. Those that the database names are paused wherever they are read; the others
 * in this process alone, as long as it runs.
 *
 * <p>Threads: poll thread only.
 */
public final class OperatorPauses {

    private final Set<TopicPartition> paused = new HashSet<>();
    private Set<TopicPartition> heldBack = Set.of();
    private boolean areAll;

    /** What the database says is paused, in place of what it said before. */
    void holdBack(Set<TopicPartition> partitions) {
        heldBack = partitions;
    }

    public void pause(TopicPartition partition) {
        paused.add(partition);
    }

    public void pauseAll() {
        areAll = true;
    }

    /** One alone; no effect while all are paused. */
    public void resume(TopicPartition partition) {
        paused.remove(partition);
    }

    public void resumeAll() {
        areAll = false;
        paused.clear();
    }

    public boolean holds(TopicPartition partition) {
        return areAll || paused.contains(partition) || heldBack.contains(partition);
    }
}
