package dev.envelope.core.assignment;

import java.util.Collection;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/** The partitions that this process has now, for those who only look. Poll thread only. */
public interface Assigned {

    Collection<AssignedPartition> all();

    Optional<AssignedPartition> get(TopicPartition partition);

    /** Whether this very object still stands for its partition. */
    boolean has(AssignedPartition partition);
}
