package dev.envelope.idempotency.store.parked;

import dev.envelope.core.api.UnavailableException;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * How much stands parked.
 *
 * <p>Threads: may block, within its own timeouts. Every method throws {@link UnavailableException}
 * when nobody knows.
 */
public interface FrozenStore {

    /** What stands parked of these partitions, longest first; nothing of one that has none. */
    List<FrozenKeys> of(Collection<TopicPartition> partitions);

    /**
     * Reads all that is parked of these partitions to count it. Otherwise the sums go by what was
     * told: they don't know what a person has deleted by hand, or an older program has parked.
     */
    void countAnew(Collection<TopicPartition> partitions);
}
