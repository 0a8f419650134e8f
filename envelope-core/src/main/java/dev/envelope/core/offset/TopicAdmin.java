package dev.envelope.core.offset;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * What the broker knows about logs and the group, asked off the poll thread.
 *
 * <p>Threads: called from background threads; blocks, within the client's timeouts. Every method
 * throws {@link UnavailableException} when there is no answer.
 */
public interface TopicAdmin {

    /** The id and the number of partitions of each topic; one that does not exist is missing. */
    Map<String, Topic> describe(Set<String> topics);

    /** The group's commits; a partition without one is missing. */
    Map<TopicPartition, Commit> committed(Set<TopicPartition> partitions);

    /** The first offset of each log. */
    Map<TopicPartition, NextOffset> earliest(Set<TopicPartition> partitions);

    /** The end of each log. */
    Map<TopicPartition, NextOffset> latest(Set<TopicPartition> partitions);

    /** Where each log begins and ends; one whose leader does not answer is missing. */
    Map<TopicPartition, Bounds> bounds(Set<TopicPartition> partitions);

    /** The first offset of that time or later, or the end of the log. */
    Map<TopicPartition, NextOffset> at(Instant instant, Set<TopicPartition> partitions);

    /** Where a log begins and ends now. */
    record Bounds(NextOffset first, NextOffset end) {}

    /** A topic as it is now. */
    record Topic(Uuid id, int partitions) {}

    /** A commit as it stands in the group, with whatever its author wrote beside it. */
    record Commit(NextOffset next, String metadata) {}
}
