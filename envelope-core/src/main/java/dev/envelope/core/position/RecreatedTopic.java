package dev.envelope.core.position;

import dev.envelope.core.api.NextOffset;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** What an operator is told of a topic that has another id than what was applied. */
record RecreatedTopic(String name, Uuid present, Uuid former) {

    private String what() {
        return "topic "
                + name
                + " has another id than what was applied: "
                + present
                + " instead of "
                + former
                + ", so it was deleted and created again";
    }

    /** It is not read. */
    String refused(
            Collection<Long> applied,
            Map<TopicPartition, NextOffset> starts,
            Map<TopicPartition, NextOffset> ends) {
        return what()
                + ". Records applied of the former: "
                + applied.stream().mapToLong(it -> it).sum()
                + "; in the log now: "
                + starts.keySet().stream().mapToLong(it -> count(it, starts, ends)).sum()
                + ". Set on.topic.recreated=continue to read all of it as new,"
                + " or adopt if it is the same log in another cluster.";
    }

    String readAsNew(
            TopicPartition partition,
            Map<TopicPartition, NextOffset> starts,
            Map<TopicPartition, NextOffset> ends) {
        return what()
                + "; on.topic.recreated=continue reads all of "
                + partition
                + ", "
                + count(partition, starts, ends)
                + " records up to now";
    }

    String adopted(TopicPartition partition, long applied) {
        return what()
                + "; on.topic.recreated=adopt takes it for the same log, of which "
                + applied
                + " records of "
                + partition
                + " count as applied";
    }

    private static long count(
            TopicPartition partition,
            Map<TopicPartition, NextOffset> starts,
            Map<TopicPartition, NextOffset> ends) {
        NextOffset start = starts.get(partition);
        NextOffset end = ends.get(partition);
        return start == null || end == null ? 0 : end.offset() - start.offset();
    }
}
