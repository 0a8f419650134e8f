package dev.envelope.core.position;

import java.time.Duration;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * A partition that was added while its topic was in use: what it brings waits for the older ones.
 *
 * @param older those from which keys may have moved to it
 * @param settlesIn how long producers may still not know of it; not negative
 */
public record Young(Set<TopicPartition> older, Duration settlesIn) {

    public Young {
        older = Set.copyOf(older);
    }
}
