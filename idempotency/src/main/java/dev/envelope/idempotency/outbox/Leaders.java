package dev.envelope.idempotency.outbox;

import dev.envelope.idempotency.outbox.TopicFinder.NotFound;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartitionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Topics of which a partition has no leader: a producer would wait for it until its time is up, and
 * what else is in its transaction with it. For a moment this is true of any topic, while brokers
 * restart; after some looks it is that topic's own trouble, and the others go on without it.
 *
 * <p>Threads: one thread, the relay's.
 */
final class Leaders {

    /** Looks that all find none: with the pauses between failed batches, some seconds. */
    private static final int MOST_LOOKS = 5;

    private final Map<String, Integer> looks = new HashMap<>();

    /** What keeps records of this topic from being sent; null if nothing does. */
    @Nullable NotFound look(TopicDescription topic) {
        List<Integer> without =
                topic.partitions().stream()
                        .filter(it -> it.leader() == null || it.leader().isEmpty())
                        .map(TopicPartitionInfo::partition)
                        .toList();
        if (without.isEmpty()) {
            looks.remove(topic.name());
            return null;
        }
        int times = looks.merge(topic.name(), 1, Integer::sum);
        return new NotFound(
                "%s of topic %s has no leader: its brokers are away"
                        .formatted(
                                without.size() == 1
                                        ? "partition " + without.get(0)
                                        : without.size()
                                                + " partitions, "
                                                + without.get(0)
                                                + " first,",
                                topic.name()),
                times > MOST_LOOKS);
    }
}
