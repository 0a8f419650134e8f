package dev.envelope.core.guard;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.assignment.Assigned;
import dev.envelope.core.assignment.AssignedPartition;
import dev.envelope.core.assignment.Positioning;
import dev.envelope.core.background.Background;
import dev.envelope.core.offset.Committer;
import dev.envelope.core.position.PositionFinder;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.jspecify.annotations.Nullable;

/**
 * Whether the logs still are those that were positioned, and what becomes of partitions whose logs
 * are not.
 *
 * <p>Threads: poll thread only.
 */
public final class GuardRails {

    private final LogTroubles troubles;
    private final Suspects suspects;
    private final TopicWatch topics;
    private final GrowthBarrier barrier;

    /**
     * @param topics that are read
     */
    public GuardRails(
            Set<String> topics,
            Assigned assignment,
            Positioning positioning,
            PositionFinder finder,
            Committer committer,
            Background background,
            Ticker ticker) {
        this.troubles = new LogTroubles(assignment, positioning, committer, ticker);
        this.suspects = new Suspects(assignment, positioning, ticker);
        this.topics = new TopicWatch(topics, assignment, finder, troubles, background);
        this.barrier = new GrowthBarrier(assignment, finder, background, ticker);
    }

    /** Looks after what was seen so far, and asks the servers what no poll tells. */
    public void turn() {
        troubles.turn(); // what is not in the log any more is looked for anew
        topics.turn(); // is it still the same topic?
        barrier.turn(); // may what was added later go on?
    }

    /** Of what was polled, and of what was held back before, that which may go to the shards. */
    public ConsumerRecords<byte @Nullable [], byte @Nullable []> admit(
            ConsumerRecords<byte @Nullable [], byte @Nullable []> polled) {
        topics.see(polled); // is it still the same log?
        return barrier.admit(polled);
    }

    /** A poll did not fail. */
    public void passed() {
        suspects.passed();
    }

    /** A poll failed with something that passes by itself, and proves nothing. */
    public void disturbed() {
        suspects.disturbed();
    }

    /** A poll failed with something that may be a partition's fault. */
    public void failed(KafkaException failure) {
        if (failure instanceof LogTruncationException truncation) {
            troubles.truncated(truncation);
        } else if (failure instanceof OffsetOutOfRangeException outOfRange) {
            troubles.notInLog(outOfRange.offsetOutOfRangePartitions().keySet());
        } else if (failure instanceof NoOffsetForPartitionException noOffset) {
            troubles.notInLog(noOffset.partitions());
        } else if (failure instanceof RecordDeserializationException unreadable) {
            troubles.unreadable(unreadable.topicPartition(), unreadable.offset(), unreadable);
        } else {
            suspects.failed(failure).ifPresent(it -> troubles.unreadable(it, failure));
        }
    }

    /** Whether a partition is not to be fetched, to see whether polls fail for it. */
    public boolean holdsBack(AssignedPartition partition) {
        return suspects.holdBack(partition);
    }

    /** Whether partitions are held back in turn: then polls are to come soon. */
    public boolean isSearching() {
        return suspects.isSearching();
    }

    /** Topics that are to be read and that do not exist, by their names. */
    public List<String> missing() {
        return topics.missing();
    }
}
