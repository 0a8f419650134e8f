package dev.envelope.core.position;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Stamp;
import dev.envelope.core.position.PositionPolicy.Gap;
import dev.envelope.core.position.PositionPolicy.LogTruncated;
import dev.envelope.core.position.PositionPolicy.OffsetAhead;
import dev.envelope.core.position.PositionPolicy.TopicRecreated;
import dev.envelope.core.testkit.FakeCheckpoints;
import dev.envelope.core.testkit.InMemoryCluster;
import dev.envelope.core.testkit.InMemoryTopicAdmin;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * What the log, the group and the database say of two partitions, to be arranged by a test.
 *
 * <p>Threads: one thread.
 */
class Situation {

    static final TopicPartition P0 = new TopicPartition("orders", 0);
    static final TopicPartition P1 = new TopicPartition("orders", 1);

    final InMemoryCluster cluster = new InMemoryCluster();
    final InMemoryTopicAdmin admin = new InMemoryTopicAdmin(cluster);
    final FakeCheckpoints checkpoints = new FakeCheckpoints();
    StartFrom startFrom = new StartFrom.Earliest();
    OffsetAhead onOffsetAhead = OffsetAhead.STOP;
    Gap onGap = Gap.STOP;
    TopicRecreated onTopicRecreated = TopicRecreated.STOP;
    LogTruncated onLogTruncated = LogTruncated.STOP;

    Situation() {
        cluster.createTopic("orders", 2);
        append(P0, 100);
        append(P1, 50);
    }

    void append(TopicPartition partition, int records) {
        for (int i = 0; i < records; i++) {
            cluster.timeIs(1_000_000 + 1000L * i);
            cluster.append(partition, "key", "value");
        }
    }

    void known(TopicPartition partition, long checkpoint) {
        begun(partition, 0, checkpoint);
    }

    void begun(TopicPartition partition, long start, long checkpoint) {
        checkpoints.add(
                partition,
                cluster.topicId(partition.topic()).orElseThrow(),
                0,
                new NextOffset(start, 0),
                new NextOffset(checkpoint, 0));
    }

    void committedByUs(TopicPartition partition, long offset) {
        boolean isKnown = checkpoints.checkpoint(partition) >= 0;
        committedByUs(partition, offset, isKnown ? checkpoints.source(partition).number() : 1);
    }

    void committedByUs(TopicPartition partition, long offset, int source) {
        cluster.commit(partition, Stamp.stamped(new NextOffset(offset, 0), source));
    }

    void committedByHand(TopicPartition partition, long offset) {
        cluster.commit(partition, new OffsetAndMetadata(offset));
    }

    Map<TopicPartition, Position> find(TopicPartition... partitions) {
        return finder(checkpoints).find(Set.of(partitions));
    }

    PositionFinder finder(Checkpoints asked) {
        return new PositionFinder(admin, asked, policy());
    }

    PositionPolicy policy() {
        return new PositionPolicy(startFrom, onOffsetAhead, onGap)
                .with(onTopicRecreated)
                .with(onLogTruncated);
    }

    Position.Found found(TopicPartition partition) {
        assertThat(find(P0, P1).get(partition)).isInstanceOf(Position.Found.class);
        return (Position.Found) Objects.requireNonNull(find(P0, P1).get(partition));
    }

    long offset(TopicPartition partition) {
        return found(partition).next().offset();
    }

    String refusal(TopicPartition partition) {
        Position position = find(P0, P1).get(partition);
        assertThat(position).isInstanceOf(Position.Refused.class);
        return ((Position.Refused) Objects.requireNonNull(position)).reason();
    }
}
