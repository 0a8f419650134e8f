package dev.envelope.core.position;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Skip;
import dev.envelope.core.position.PositionPolicy.OffsetAhead;
import dev.envelope.core.testkit.FakeCheckpoints;
import dev.envelope.core.testkit.InMemoryTopicAdmin;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** Every case of where a partition may be read from. */
final class PositionFinderTest extends Situation {

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

        Position.Found first = (Position.Found) Objects.requireNonNull(find(P0).get(P0));
        assertThat(first.next().offset()).isEqualTo(60);
        assertThat(first.remark()).contains("skips");
        assertThat(checkpoints.skips(P0)).containsExactly(new Skip(Skip.Cause.OPERATOR, 40, 60));
        assertThat(found(P0).remark()).as("it has been said").isEmpty();
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

        Map<TopicPartition, Position> second =
                new PositionFinder(slow, checkpoints, policy()).find(Set.of(P0));

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
                        () -> {},
                        () -> {
                            known(P0, 0);
                            known(P1, 0);
                            committedByUs(P0, 5);
                        });

        Map<TopicPartition, Position> found = finder(late).find(Set.of(P0));

        assertThat(found.get(P0)).isInstanceOf(Position.Found.class);
    }

    @Test
    void anInstanceThatSawAFormerTopicDoesNotMakeItThePresentOne() {
        Checkpoints late =
                new LateReader(
                        checkpoints,
                        () -> {},
                        () -> {
                            cluster.createTopic("orders", 2);
                            find(P0);
                        });

        assertThat(finder(late).find(Set.of(P0)).get(P0)).isInstanceOf(Position.Unanswered.class);

        assertThat(offset(P0)).isZero();
        assertThat(checkpoints.read(Set.of("orders")).sources()).hasSize(2);
    }

    @Test
    void anInstanceThatLookedAtAFormerTopicBeforeThePresentOneWasRecordedDoesNotMakeItTheNext() {
        onTopicRecreated = PositionPolicy.TopicRecreated.CONTINUE;
        Checkpoints late =
                new LateReader(
                        checkpoints,
                        () -> {
                            cluster.createTopic("orders", 2);
                            find(P0);
                        },
                        () -> {});

        assertThatThrownBy(() -> finder(late).find(Set.of(P0)))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("another id just now");

        assertThat(offset(P0)).isZero();
        assertThat(checkpoints.read(Set.of("orders")).sources()).hasSize(2);
    }

    /** Before it reads something happens elsewhere, and before its answer arrives, too. */
    private record LateReader(FakeCheckpoints inner, Runnable before, Runnable meanwhile)
            implements Checkpoints {

        @Override
        public Bearings read(Set<String> topics) {
            before.run();
            Bearings bearings = inner.read(topics);
            meanwhile.run();
            return bearings;
        }

        @Override
        public Bearings introduce(Collection<NewSource> sources) {
            return inner.introduce(sources);
        }

        @Override
        public Bearings adopt(String topic, Uuid former, Uuid present) {
            return inner.adopt(topic, former, present);
        }

        @Override
        public void skip(int source, List<Skip> skips, Incarnation incarnation) {
            inner.skip(source, skips, incarnation);
        }

        @Override
        public void settle(int source) {
            inner.settle(source);
        }

        @Override
        public Set<Integer> save(Map<Integer, NextOffset> nextBySource, Incarnation incarnation) {
            return inner.save(nextBySource, incarnation);
        }

        @Override
        public Incarnation incarnation() {
            return inner.incarnation();
        }
    }
}
