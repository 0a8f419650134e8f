package dev.envelope.core.offset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.PositionPolicy.Gap;
import dev.envelope.core.offset.PositionPolicy.OffsetAhead;
import dev.envelope.core.testkit.FakeCheckpoints;
import dev.envelope.core.testkit.InMemoryCluster;
import dev.envelope.core.testkit.InMemoryTopicAdmin;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Every case of where a partition may be read from. */
final class PositionFinderTest {

    private static final TopicPartition P0 = new TopicPartition("orders", 0);
    private static final TopicPartition P1 = new TopicPartition("orders", 1);

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final InMemoryTopicAdmin admin = new InMemoryTopicAdmin(cluster);
    private final FakeCheckpoints checkpoints = new FakeCheckpoints();
    private StartFrom startFrom = new StartFrom.Earliest();
    private OffsetAhead onOffsetAhead = OffsetAhead.STOP;
    private Gap onGap = Gap.STOP;

    PositionFinderTest() {
        cluster.createTopic("orders", 2);
        append(P0, 100);
        append(P1, 50);
    }

    private void append(TopicPartition partition, int records) {
        for (int i = 0; i < records; i++) {
            cluster.timeIs(1_000_000 + 1000L * i);
            cluster.append(partition, "key", "value");
        }
    }

    private void known(TopicPartition partition, long checkpoint) {
        checkpoints.add(
                partition,
                cluster.topicId(partition.topic()).orElseThrow(),
                0,
                new NextOffset(checkpoint, 0));
    }

    private void committedByUs(TopicPartition partition, long offset) {
        cluster.commit(partition, Stamp.stamped(new NextOffset(offset, 0)));
    }

    private void committedByHand(TopicPartition partition, long offset) {
        cluster.commit(partition, new OffsetAndMetadata(offset));
    }

    private Map<TopicPartition, Position> find(TopicPartition... partitions) {
        PositionPolicy policy = new PositionPolicy(startFrom, onOffsetAhead, onGap);
        return new PositionFinder(admin, checkpoints, policy).find(Set.of(partitions));
    }

    private Position.Found found(TopicPartition partition) {
        assertThat(find(P0, P1).get(partition)).isInstanceOf(Position.Found.class);
        return (Position.Found) Objects.requireNonNull(find(P0, P1).get(partition));
    }

    private long offset(TopicPartition partition) {
        return found(partition).next().offset();
    }

    private String refusal(TopicPartition partition) {
        Position position = find(P0, P1).get(partition);
        assertThat(position).isInstanceOf(Position.Refused.class);
        return ((Position.Refused) Objects.requireNonNull(position)).reason();
    }

    // --- both there

    @Test
    void goesOnWhereCheckpointAndCommitAgree() {
        known(P0, 40);
        known(P1, 0);
        committedByUs(P0, 40);

        assertThat(offset(P0)).isEqualTo(40);
        assertThat(found(P0).remark()).isEmpty();
        assertThat(found(P0).source()).isEqualTo(checkpoints.source(P0).number());
        assertThat(found(P0).incarnation()).isEqualTo(checkpoints.incarnation());
    }

    @Test
    void goesOnAtTheCommitWhereThatIsTheLowerOne() {
        known(P0, 40);
        known(P1, 0);
        committedByUs(P0, 30);

        assertThat(offset(P0)).isEqualTo(30);
    }

    @Test
    void goesBackWithADatabaseThatWentBackAndSaysSo() {
        known(P0, 40);
        known(P1, 0);
        committedByUs(P0, 60);

        assertThat(offset(P0)).isEqualTo(40);
        assertThat(found(P0).remark()).contains("the database went back");
    }

    @Test
    void stopsWhereAnOperatorHasMovedTheCommitAhead() {
        known(P0, 40);
        known(P1, 7);
        committedByHand(P0, 60);

        assertThat(refusal(P0)).contains("on.offset.ahead=follow");
        assertThat(offset(P1)).isEqualTo(7);
    }

    @Test
    void followsAnOperatorWhereThePolicySaysSo() {
        onOffsetAhead = OffsetAhead.FOLLOW;
        known(P0, 40);
        known(P1, 0);
        committedByHand(P0, 60);

        assertThat(offset(P0)).isEqualTo(60);
        assertThat(found(P0).remark()).contains("skips");
    }

    @Test
    void ignoresAnOperatorWhereThePolicySaysSo() {
        onOffsetAhead = OffsetAhead.REWIND;
        known(P0, 40);
        known(P1, 0);
        committedByHand(P0, 60);

        assertThat(offset(P0)).isEqualTo(40);
        assertThat(found(P0).remark()).contains("ignores");
    }

    @Test
    void anOperatorWhoRewindsIsFollowedForTheMarksAbsorbIt() {
        known(P0, 40);
        known(P1, 0);
        committedByHand(P0, 0);

        assertThat(offset(P0)).isZero();
    }

    @Test
    void goesOnAtTheCheckpointWhereTheCommitsHaveExpired() {
        known(P0, 40);
        known(P1, 0);

        assertThat(offset(P0)).isEqualTo(40);
        assertThat(found(P0).remark()).isEmpty();
    }

    // --- a topic never seen

    @Test
    void beginsATopicNeverSeenAtItsFirstRecords() {
        cluster.removeBefore(P0, 10);

        assertThat(offset(P0)).isEqualTo(10);
        assertThat(offset(P1)).isZero();
        assertThat(checkpoints.source(P0).start().offset()).isEqualTo(10);
    }

    @Test
    void resolvesLatestOnceForAllPartitionsAlsoThoseOfOthers() {
        startFrom = new StartFrom.Latest();

        assertThat(find(P0)).containsOnlyKeys(P0);
        append(P0, 5);
        append(P1, 5);

        assertThat(offset(P0)).isEqualTo(100);
        assertThat(offset(P1)).as("decided when P0 was looked for").isEqualTo(50);
    }

    @Test
    void resolvesATimeToTheFirstRecordFromThenOn() {
        startFrom = new StartFrom.Time(Instant.ofEpochMilli(1_000_000 + 70_000));

        assertThat(offset(P0)).isEqualTo(70);
        assertThat(offset(P1)).as("no record of that time: its end").isEqualTo(50);
    }

    @Test
    void adoptsTheCommitsOfAGroupWhereAskedTo() {
        startFrom = new StartFrom.Committed();
        committedByHand(P0, 33);

        assertThat(offset(P0)).isEqualTo(33);
        assertThat(offset(P1)).as("without a commit: earliest").isZero();
    }

    @Test
    void stopsWhereTheGroupHasCommitsAndTheDatabaseKnowsNothing() {
        committedByUs(P0, 33);

        assertThat(refusal(P0)).contains("start.from=committed");
        assertThat(refusal(P1)).contains("start.from=committed");
        assertThat(checkpoints.checkpoint(P0)).as("nothing is recorded").isEqualTo(-1);
    }

    @Test
    void ofTwoInstancesThatStartTogetherTheFirstDecides() {
        startFrom = new StartFrom.Latest();
        InMemoryTopicAdmin slow = new InMemoryTopicAdmin(cluster);
        find(P0, P1);
        append(P0, 5);
        PositionPolicy policy = new PositionPolicy(startFrom, onOffsetAhead, onGap);

        Map<TopicPartition, Position> second =
                new PositionFinder(slow, checkpoints, policy).find(Set.of(P0));

        assertThat(second.get(P0))
                .isInstanceOfSatisfying(
                        Position.Found.class, it -> assertThat(it.next().offset()).isEqualTo(100));
    }

    // --- partitions that were added

    @Test
    void beginsAPartitionThatWasAddedLaterAtItsFirstRecordWhateverStartFromSays() {
        startFrom = new StartFrom.Latest();
        find(P0, P1);
        cluster.growTopic("orders", 3);
        TopicPartition added = new TopicPartition("orders", 2);
        append(added, 9);

        Position position = find(added).get(added);

        assertThat(position)
                .isInstanceOfSatisfying(
                        Position.Found.class, it -> assertThat(it.next().offset()).isZero());
    }

    // --- another log

    @Test
    void stopsAtATopicThatWasDeletedAndCreatedAgain() {
        known(P0, 40);
        known(P1, 0);
        cluster.createTopic("orders", 2);
        append(P0, 200);

        assertThat(refusal(P0)).contains("deleted and created again");
        assertThat(refusal(P1)).contains("deleted and created again");
    }

    @Test
    void takesTheSourceOfThePresentTopicIdAndOfTheYoungestGeneration() {
        known(P0, 90);
        known(P1, 0);
        cluster.createTopic("orders", 2);
        append(P0, 100);
        known(P0, 20);
        known(P1, 0);
        var youngest =
                checkpoints.add(
                        P0, cluster.topicId("orders").orElseThrow(), 1, new NextOffset(10, 0));

        assertThat(offset(P0)).isEqualTo(10);
        assertThat(found(P0).source()).isEqualTo(youngest.number());
    }

    @Test
    void stopsWhereTheLogEndsBelowWhatWasApplied() {
        known(P0, 101);
        known(P1, 50);
        committedByUs(P0, 101);

        assertThat(refusal(P0)).contains("truncated");
        assertThat(offset(P1)).as("at the end is not beyond it").isEqualTo(50);
    }

    // --- a gap

    @Test
    void stopsAtAGapAndNamesTheLoss() {
        known(P0, 40);
        known(P1, 0);
        committedByUs(P0, 40);
        cluster.removeBefore(P0, 60);

        assertThat(refusal(P0)).contains("offsets 40 to 59").contains("on.gap=earliest");
        assertThat(offset(P1)).isZero();
    }

    @Test
    void goesOnBehindAGapWhereThePolicySaysSo() {
        onGap = Gap.EARLIEST;
        known(P0, 40);
        known(P1, 0);
        cluster.removeBefore(P0, 60);

        assertThat(offset(P0)).isEqualTo(60);
        assertThat(found(P0).remark()).contains("offsets 40 to 59");
    }

    @Test
    void whatIsGoneBelowTheCheckpointIsNoLoss() {
        known(P0, 70);
        known(P1, 0);
        committedByHand(P0, 10);
        cluster.removeBefore(P0, 60);

        assertThat(offset(P0)).isEqualTo(60);
        assertThat(found(P0).remark()).isEmpty();
    }

    @Test
    void aLogThatBeginsRightAtThePositionHasNoGap() {
        known(P0, 40);
        known(P1, 0);
        cluster.removeBefore(P0, 40);

        assertThat(offset(P0)).isEqualTo(40);
    }

    // --- not to be read now

    @Test
    void aBrokerThatDoesNotAnswerIsNeverTakenForNoCommit() {
        known(P0, 40);
        known(P1, 0);
        committedByUs(P0, 30);
        admin.unavailable("the broker is away");

        assertThatThrownBy(() -> find(P0)).isInstanceOf(UnavailableException.class);

        admin.unavailable(null);
        assertThat(offset(P0)).isEqualTo(30);
    }

    @Test
    void aDatabaseThatDoesNotAnswerIsNeverTakenForNoCheckpoint() {
        known(P0, 40);
        known(P1, 0);
        checkpoints.unavailable("the database is away");

        assertThatThrownBy(() -> find(P0)).isInstanceOf(UnavailableException.class);
        assertThat(cluster.committedOffset(P0)).isEqualTo(-1);
    }

    @Test
    void aTopicThatIsNotThereYetIsAskedForAgain() {
        TopicPartition nowhere = new TopicPartition("nowhere", 0);

        assertThatThrownBy(() -> find(nowhere))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("nowhere");
    }

    @Test
    void anInstanceThatCommitsWhileAnotherLooksIsNotTakenForAnOldGroup() {
        Checkpoints late =
                new LateReader(
                        checkpoints,
                        () -> {
                            known(P0, 0);
                            known(P1, 0);
                            committedByUs(P0, 5);
                        });
        PositionPolicy policy = new PositionPolicy(startFrom, onOffsetAhead, onGap);

        Map<TopicPartition, Position> found =
                new PositionFinder(admin, late, policy).find(Set.of(P0));

        assertThat(found.get(P0)).isInstanceOf(Position.Found.class);
    }

    /** Reads, and before its answer arrives another instance introduces the topic and commits. */
    private record LateReader(FakeCheckpoints inner, Runnable meanwhile) implements Checkpoints {

        @Override
        public Bearings read(Set<String> topics) {
            Bearings bearings = inner.read(topics);
            meanwhile.run();
            return bearings;
        }

        @Override
        public Bearings introduce(Collection<NewSource> sources) {
            return inner.introduce(sources);
        }

        @Override
        public void save(Map<Integer, NextOffset> nextBySource, Incarnation incarnation) {
            inner.save(nextBySource, incarnation);
        }

        @Override
        public Incarnation incarnation() {
            return inner.incarnation();
        }
    }
}
