package dev.envelope.core.assignment;

import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.offset.Commitment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * The partitions that this process has now. A partition that comes back is a new object: nothing of
 * its former life can be mistaken for the present one.
 *
 * <p>Threads: poll thread only.
 */
public final class Assignment implements Assigned {

    private final Map<TopicPartition, AssignedPartition> partitions = new HashMap<>();

    /** Takes partitions on; whatever was known of them before is gone. */
    public void add(Collection<AssignedPartition> fresh) {
        fresh.forEach(
                partition -> {
                    forget(List.of(partition.partition()));
                    partitions.put(partition.partition(), partition);
                });
    }

    /** Ends the epochs of these partitions and forgets them. */
    public void forget(Collection<TopicPartition> gone) {
        for (TopicPartition partition : gone) {
            AssignedPartition left = partitions.remove(partition);
            if (left != null) {
                left.commitment().map(Commitment::epoch).ifPresent(PartitionEpoch::end);
            }
        }
    }

    public void forgetAll() {
        forget(List.copyOf(partitions.keySet()));
    }

    @Override
    public Collection<AssignedPartition> all() {
        return partitions.values();
    }

    @Override
    public Optional<AssignedPartition> get(TopicPartition partition) {
        return Optional.ofNullable(partitions.get(partition));
    }

    @Override
    public boolean has(AssignedPartition partition) {
        return partitions.get(partition.partition()) == partition;
    }

    /** The partition that this epoch is the present epoch of. */
    Optional<AssignedPartition> of(PartitionEpoch epoch) {
        return get(epoch.partition())
                .filter(it -> it.commitment().filter(c -> c.epoch() == epoch).isPresent());
    }

    public boolean isLookingForPositions() {
        return partitions.values().stream()
                .anyMatch(it -> it.phase() instanceof AssignedPartition.Finding);
    }

    /** The progress of all partitions that have been positioned. */
    public List<Commitment> commitments() {
        return commitments(partitions.keySet());
    }

    public List<Commitment> commitments(Collection<TopicPartition> of) {
        List<Commitment> commitments = new ArrayList<>(of.size());
        for (TopicPartition partition : of) {
            AssignedPartition assigned = partitions.get(partition);
            if (assigned != null) {
                assigned.commitment().ifPresent(commitments::add);
            }
        }
        return commitments;
    }
}
