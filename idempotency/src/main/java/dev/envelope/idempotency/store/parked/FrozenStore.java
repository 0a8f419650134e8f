package dev.envelope.idempotency.store.parked;

import dev.envelope.core.api.UnavailableException;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * How much is parked.
 *
 * <p>Threads: may block, within its own timeouts. Every method throws {@link UnavailableException}
 * when the database can't serve.
 */
public interface FrozenStore {

    /**
     * What is parked of these partitions, longest first; partitions without parked messages are
     * left out.
     */
    List<FrozenKeys> of(Collection<TopicPartition> partitions);

    /**
     * Counts the parked messages of these partitions by reading them all. Otherwise the sums are
     * only updated with each change, and miss what a person has deleted by hand or an older program
     * has parked.
     */
    void countAnew(Collection<TopicPartition> partitions);
}
