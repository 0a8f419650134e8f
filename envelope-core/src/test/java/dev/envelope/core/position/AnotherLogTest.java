package dev.envelope.core.position;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Stamp;
import dev.envelope.core.position.PositionPolicy.LogTruncated;
import dev.envelope.core.position.PositionPolicy.TopicRecreated;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** Logs that are not those that were applied. */
final class AnotherLogTest extends Situation {

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

    @Test
    void aRecreatedTopicIsReadFromItsBeginningWhereThePolicySaysSo() {
        onTopicRecreated = TopicRecreated.CONTINUE;
        known(P0, 40);
        known(P1, 7);
        int former = checkpoints.source(P0).number();
        committedByUs(P0, 40);
        cluster.createTopic("orders", 2);
        append(P0, 30);
        cluster.removeBefore(P0, 10);

        Position.Found first = (Position.Found) Objects.requireNonNull(find(P0).get(P0));

        assertThat(first.next().offset()).isEqualTo(10);
        assertThat(first.source()).isNotEqualTo(former);
        assertThat(first.remark())
                .contains("on.topic.recreated=continue")
                .contains("20 records up to now");
        assertThat(found(P1).next().offset()).isZero();
        assertThat(found(P1).remark()).as("it has been said").isEmpty();
    }

    @Test
    void aTopicInAnotherClusterKeepsItsSourceWhereItIsAdopted() {
        onTopicRecreated = TopicRecreated.ADOPT;
        known(P0, 40);
        known(P1, 7);
        int source = checkpoints.source(P0).number();
        cluster.createTopic("orders", 3);
        append(P0, 60);
        append(P1, 60);
        TopicPartition added = new TopicPartition("orders", 2);

        Position.Found first = (Position.Found) Objects.requireNonNull(find(P0).get(P0));

        assertThat(first.next().offset()).isEqualTo(40);
        assertThat(first.source()).isEqualTo(source);
        assertThat(first.topicId()).isEqualTo(cluster.topicId("orders").orElseThrow());
        assertThat(first.remark()).contains("adopt").contains("0 records of orders-0");
        assertThat(offset(P1)).isEqualTo(7);
        assertThat(find(added).get(added)).isInstanceOf(Position.Found.class);
    }

    @Test
    void aStopAtARecreatedTopicSaysHowManyRecordsAreConcernedAndTheChoices() {
        begun(P0, 40, 60);
        known(P1, 0);
        cluster.createTopic("orders", 2);
        append(P0, 200);
        append(P1, 11);

        assertThat(refusal(P0))
                .contains("applied of the former: 20;")
                .contains("in the log now: 211.")
                .contains("on.topic.recreated=continue")
                .contains("adopt");
    }

    @Test
    void aBrokerThatShowsAFormerIdIsAskedAgain() {
        onTopicRecreated = TopicRecreated.CONTINUE;
        known(P0, 40);
        known(P1, 0);
        checkpoints.add(P0, new Uuid(9, 9), 0, new NextOffset(0, 0));

        assertThatThrownBy(() -> find(P0))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("former id of topic orders");
    }

    @Test
    void aLogThatIsAnotherThoughItsTopicHasTheSameIdIsLookedAtAgain() {
        known(P0, 40);
        known(P1, 0);

        var found = finder(checkpoints).find(Set.of(P0, P1), Map.of(P0, seen(Optional.empty())));

        assertThat(found.get(P0)).isInstanceOf(Position.Unanswered.class);
        assertThat(found.get(P1)).as("another's log").isInstanceOf(Position.Found.class);
    }

    @Test
    void theTopicsIdIsLookedAtBeforeATruncatedLogIsJudged() {
        onTopicRecreated = TopicRecreated.CONTINUE;
        known(P0, 40);
        known(P1, 0);
        Divergence seen = seen(Optional.of(new NextOffset(3, 0)));
        cluster.createTopic("orders", 2);

        Map<TopicPartition, Position> found =
                finder(checkpoints).find(Set.of(P0), Map.of(P0, seen));

        assertThat(found.get(P0))
                .isInstanceOfSatisfying(
                        Position.Found.class, it -> assertThat(it.next().offset()).isZero());
    }

    /** Eighty records were applied, and are there only up to the fiftieth; ten others follow. */
    private void truncated() {
        known(P0, 0);
        known(P1, 0);
        checkpoints.raise(P0, 80);
        committedByUs(P0, 80);
        cluster.truncateTo(P0, 50);
        append(P0, 10);
    }

    @Test
    void stopsAtATruncatedLogAndSaysTheChoices() {
        truncated();

        assertThat(refusal(P0)).contains("ends at 60").contains("on.log.truncated=continue");
    }

    /** Otherwise all that asks how far the partition is would compare it with what is gone. */
    @Test
    void aLogThatEndsBelowTheCheckpointIsFoundThoughSomebodyHasMovedTheCommitBack() {
        truncated();
        committedByHand(P0, 20);

        assertThat(refusal(P0)).contains("ends at 60").contains("on.log.truncated=continue");

        onLogTruncated = LogTruncated.CONTINUE;
        assertThat(offset(P0)).as("where the client finds the cut").isEqualTo(80);
    }

    @Test
    void whatIsBehindAnAcceptedCutIsANewGenerationAndTheFormersMarksAndCommitsDoNotCount() {
        onLogTruncated = LogTruncated.CONTINUE;
        truncated();
        int former = checkpoints.source(P0).number();
        Divergence seen = seen(Optional.of(new NextOffset(50, 0)));

        Map<TopicPartition, Position> first =
                finder(checkpoints).find(Set.of(P0), Map.of(P0, seen));
        Map<TopicPartition, Position> again =
                finder(checkpoints).find(Set.of(P0), Map.of(P0, seen));

        Position.Found position = (Position.Found) Objects.requireNonNull(first.get(P0));
        assertThat(position.next().offset()).isEqualTo(50);
        assertThat(position.source()).isNotEqualTo(former);
        assertThat(position.remark()).contains("generation 1").contains("30 records");
        assertThat(((Position.Found) Objects.requireNonNull(again.get(P0))).source())
                .as("what was seen was seen of the former")
                .isEqualTo(position.source());
        committedByHand(P0, 20);
        assertThat(offset(P0)).as("below the cut nothing is read again").isEqualTo(50);
    }

    @Test
    void aCommitOfTheFormerGenerationDoesNotCountThoughItStandsBehindTheCut() {
        onLogTruncated = LogTruncated.CONTINUE;
        truncated();
        int former = checkpoints.source(P0).number();
        Divergence seen = seen(Optional.of(new NextOffset(50, 0)));
        var found = finder(checkpoints).find(Set.of(P0), Map.of(P0, seen)).get(P0);
        int present = ((Position.Found) Objects.requireNonNull(found)).source();
        checkpoints.save(Map.of(present, new NextOffset(60, 1)), checkpoints.incarnation());

        committedByUs(P0, 55, former);

        assertThat(found(P0).next()).isEqualTo(new NextOffset(60, 1));
        assertThat(found(P0).remark()).isEmpty();
    }

    /**
     * Who accepts a truncation may die before it commits: the commit of a consumer that was there
     * before this application is then seen by the next one, too.
     */
    @Test
    void aCommitOfAnotherFromBeforeAnAcceptedTruncationIsNotTakenForOneThatWasMovedAhead() {
        onLogTruncated = LogTruncated.CONTINUE;
        truncated();
        cluster.commit(P0, new OffsetAndMetadata(80, Optional.of(0), ""));
        Divergence seen = seen(Optional.of(new NextOffset(50, 0)));
        finder(checkpoints).find(Set.of(P0), Map.of(P0, seen));

        assertThat(found(P0).next().offset()).isEqualTo(50);
        assertThat(found(P0).remark()).isEmpty();

        cluster.commit(P0, new OffsetAndMetadata(80, Optional.of(1), ""));
        assertThat(refusal(P0)).as("of the present log").contains("ahead of the database");
        committedByHand(P0, 80);
        assertThat(refusal(P0)).as("nobody knows").contains("ahead of the database");
        cluster.commit(P0, new OffsetAndMetadata(30, Optional.of(0), ""));
        assertThat(found(P0).remark()).as("of both").contains("below where reading it began");
    }

    /** Whoever is sent to the checkpoint notices; at the commit nobody would. */
    @Test
    void aCommitBelowTheCheckpointOfALaterLeaderEpochSaysThatTheLogWasCut() {
        known(P0, 0);
        known(P1, 0);
        checkpoints.raise(P0, 80);
        cluster.truncateTo(P0, 50);
        append(P0, 50);
        int source = checkpoints.source(P0).number();
        cluster.commit(P0, Stamp.stamped(new NextOffset(60, 1), source));

        assertThat(found(P0).next()).isEqualTo(new NextOffset(80, 0));
        cluster.commit(P0, Stamp.stamped(new NextOffset(60, 0), source));
        assertThat(found(P0).next()).isEqualTo(new NextOffset(60, 0));
    }

    @Test
    void aCommitOfAGenerationThatTheDatabaseHasForgottenDoesNotCount() {
        known(P0, 40);
        known(P1, 0);

        committedByUs(P0, 30, checkpoints.source(P0).number() + 7);

        assertThat(offset(P0)).isEqualTo(40);
        assertThat(found(P0).remark()).contains("went back");
    }

    @Test
    void theClientIsSentToTheFormerEndSinceOnlyItCanAskFromWhereOnALogIsAnother() {
        onLogTruncated = LogTruncated.CONTINUE;
        truncated();
        assertThat(found(P0).next()).isEqualTo(new NextOffset(80, 0));

        checkpoints.goBack(P0, new NextOffset(80, NextOffset.NO_EPOCH));
        assertThat(refusal(P0)).contains("Nobody knows from where");
    }

    private Divergence seen(Optional<NextOffset> cut) {
        return new Divergence(
                checkpoints.source(P0).number(), cluster.topicId("orders").orElseThrow(), cut);
    }
}
