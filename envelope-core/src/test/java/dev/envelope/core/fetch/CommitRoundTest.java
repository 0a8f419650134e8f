package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** Rounds of checkpoints and commits. */
final class CommitRoundTest {

    private final Loop loop = new Loop(Setup.DEFAULT);

    @Test
    void commitsOnlyAfterTheCheckpointAndOnlyTheAckedPrefix() {
        loop.append(P0, "a", 3);
        loop.append(P0, "stuck", 1);
        loop.append(P0, "a", 3);
        loop.handler.onKey(pad("stuck"), it -> Outcome.Deferred.NOT_BEGUN);
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.engine.pool().turn();
        loop.engine.pool().turn();
        loop.environment.advance(Duration.ofMillis(1001));
        loop.engine.turn();

        assertThat(loop.consumer.commits()).as("the checkpoint comes first").isEmpty();

        loop.environment.runBackground();
        loop.engine.turn();

        assertThat(loop.checkpoints.checkpoint(P0)).isEqualTo(3);
        assertThat(loop.committed(P0)).isEqualTo(3);
    }

    @Test
    void commitsWithOurStampAndTheLeaderEpochOfTheLog() {
        loop.append(P0, "a", 3);
        loop.cluster.electLeader(P0);
        loop.append(P0, "a", 3);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.commitRound();

        OffsetAndMetadata commit = loop.cluster.committed(P0).orElseThrow();
        assertThat(commit.offset()).isEqualTo(6);
        assertThat(commit.leaderEpoch()).contains(1);
        assertThat(commit.metadata()).startsWith("envelope/");
    }

    @Test
    void commitsNothingWhileTheDatabaseCannotBeReachedAndAllOfItAfterwards() {
        loop.append(P0, "a", 3);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.checkpoints.unavailable("the database is away");
        loop.commitRound();
        loop.commitRound();

        assertThat(loop.consumer.commits()).isEmpty();
        assertThat(loop.status(P0).committed()).isZero();
        assertThat(loop.engine.loop().status().storeReachable()).isFalse();

        loop.checkpoints.failWith(null);
        loop.commitRound();

        assertThat(loop.committed(P0)).isEqualTo(3);
        loop.status(P0);
        assertThat(loop.engine.loop().status().storeReachable()).isTrue();
    }

    @Test
    void commitsThatAreRefusedForLongerThanAMomentAreToldOf() {
        loop.append(P0, "a", 3);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        for (int round = 0; round < 14; round++) {
            assertThat(round > 7 || notCommitted().isEmpty()).as("round %d", round).isTrue();
            loop.consumer.failCommit(new RebalanceInProgressException("in words of Kafka"));
            loop.commitRound();
        }
        assertThat(notCommitted())
                .startsWith("no offset could be committed for 1")
                .contains("waits for a member that does not join");

        loop.commitRound();

        assertThat(loop.committed(P0)).isEqualTo(3);
        assertThat(notCommitted()).isEmpty();
    }

    @Test
    void commitsThatWereRefusedAreNotToldOfWhenTheirPartitionIsGone() {
        loop.append(P0, "a", 3);
        loop.assignAndFind(P0, P1);
        loop.engine.run(2);
        for (int round = 0; round < 14; round++) {
            loop.consumer.failCommit(new RebalanceInProgressException("in words of Kafka"));
            loop.commitRound();
        }
        assertThat(notCommitted()).isNotEmpty();

        loop.consumer.lose(P0);
        loop.commitRound(); // it begins before the loss is known
        loop.commitRound();
        loop.status(P1);

        assertThat(loop.engine.loop().status().notCommitted()).isEmpty();
    }

    private String notCommitted() {
        loop.status(P0);
        return loop.engine.loop().status().notCommitted();
    }

    @Test
    void commitsBehindMarkersWhenNothingIsUnacked() {
        loop.append(P0, "a", 3);
        loop.cluster.appendGap(P0);
        loop.cluster.appendGap(P0);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.commitRound();

        assertThat(loop.committed(P0)).as("lag is zero").isEqualTo(5);

        loop.cluster.appendGap(P0);
        loop.engine.run(2);
        loop.commitRound();

        assertThat(loop.committed(P0)).as("nothing but a marker came").isEqualTo(6);
    }

    @Test
    void oneRoundIsUnderWayAtATime() {
        loop.append(P0, "a", 3);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.consumer.holdCommitReplies(true);
        loop.commitRound();
        loop.append(P0, "a", 3);
        loop.engine.run(2);
        loop.commitRound();
        loop.commitRound();

        assertThat(loop.committed(P0)).isEqualTo(3);
        assertThat(loop.consumer.commits()).hasSize(1);

        loop.consumer.holdCommitReplies(false);
        loop.engine.turn();
        loop.commitRound();

        assertThat(loop.committed(P0)).isEqualTo(6);
    }

    /** Of places that answer one after the other each life is that of some of them. */
    @Test
    void whatIsOfALifeThatCanNotBeSavedHoldsUpNothingOfAnother() {
        loop.append(P0, "a", 3);
        loop.append(P1, "b", 4);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.checkpoints.beginLifeWhileOneIsAway("life-2");
        loop.assignAndFind(P1);
        loop.engine.run(2);

        loop.commitRound();

        assertThat(loop.committed(P1)).isEqualTo(4);
        assertThat(loop.committed(P0)).isEqualTo(-1);
    }

    @Test
    void aCommitThatFailsIsMadeAgain() {
        loop.append(P0, "a", 3);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.consumer.failCommit(new TimeoutException("no coordinator"));
        loop.commitRound();

        assertThat(loop.committed(P0)).isEqualTo(-1);

        loop.commitRound();

        assertThat(loop.committed(P0)).isEqualTo(3);
    }

    @Test
    void writesDownTheStartOfAnIdlePartitionOnceAndIsSilentThen() {
        loop.append(P0, "a", 3);
        loop.cluster.removeBefore(P0, 3);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.commitRound();
        loop.commitRound();

        assertThat(loop.committed(P0)).isEqualTo(3);
        assertThat(loop.consumer.commits()).hasSize(1);
    }
}
