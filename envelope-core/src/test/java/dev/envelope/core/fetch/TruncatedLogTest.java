package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.position.PositionPolicy.LogTruncated;
import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

/** Logs that are cut off and written anew under the eyes of who reads them. */
final class TruncatedLogTest {

    private Loop loop = new Loop(Setup.DEFAULT);

    private static Setup goingOn() {
        return Setup.DEFAULT.with(Setup.DEFAULT.positions().with(LogTruncated.CONTINUE));
    }

    private void reportCut(long position, long cut) {
        loop.consumer.failPoll(
                new LogTruncationException(
                        Map.of(P0, position), Map.of(P0, new OffsetAndMetadata(cut))));
    }

    @Test
    void whatIsBelowTheCutIsSavedBeforeWhatIsBehindItHoweverLongThatTakes() {
        loop = new Loop(goingOn());
        loop.append(P0, "a", 2);
        loop.append(P0, "slow", 1);
        loop.append(P0, "a", 5);
        loop.handler.onKey(
                pad("slow"), it -> new Outcome.Unavailable(new UnavailableException("away")));
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.cluster.truncateTo(P0, 4);
        loop.append(P0, "b", 4);
        reportCut(8, 4);
        loop.engine.run(Duration.ofSeconds(30));

        assertThat(loop.handler.savedOffsets(pad("b"))).isEmpty();
        assertThat(loop.status(P0).stopped()).isFalse();

        loop.handler.onKeyNoMore(pad("slow"));
        loop.engine.run(Duration.ofSeconds(30));

        assertThat(loop.handler.savedOffsets(pad("slow"))).containsExactly(2L);
        assertThat(loop.handler.savedOffsets(pad("b"))).containsExactly(4L, 5L, 6L, 7L);
    }

    @Test
    void aCutBelowAPlaceThatAnOperatorHasMovedBackToIsFound() {
        loop.append(P0, "a", 8);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.commitRound();
        loop.consumer.revoke(P0);
        loop.engine.run(2);
        loop.cluster.truncateTo(P0, 4);
        loop.append(P0, "b", 6);
        loop.cluster.commit(P0, new OffsetAndMetadata(6));
        loop.assignAndFind(P0);
        loop.engine.run(Duration.ofSeconds(8));

        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause())
                .contains("written anew from offset 4 on (its checkpoint is 8@0)");
        assertThat(loop.handler.savedOffsets(pad("b"))).isEmpty();
    }

    @Test
    void aPlaceThatAnOperatorHasMovedBackToMayBeOfAnEarlierLeaderEpochThanTheCheckpoint() {
        loop.append(P0, "a", 4);
        loop.cluster.electLeader(P0);
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.commitRound();
        loop.consumer.revoke(P0);
        loop.engine.run(2);
        loop.cluster.commit(P0, new OffsetAndMetadata(2));
        loop.append(P0, "b", 1);
        loop.assignAndFind(P0);
        loop.engine.run(Duration.ofSeconds(8));

        assertThat(loop.status(P0).stopped()).isFalse();
        assertThat(loop.handler.savedOffsets(pad("b"))).containsExactly(8L);
    }

    @Test
    void aCutOfAPartitionThatIsNotAssignedAnyMoreIsNobodysTrouble() {
        loop.append(P1, "b", 3);
        loop.assignAndFind(P0, P1);
        loop.engine.run(2);
        loop.consumer.revoke(P0);
        reportCut(8, 4);
        loop.engine.run(3);
        loop.append(P1, "b", 3);
        loop.engine.run(2);

        assertThat(loop.engine.fault()).isNull();
        assertThat(loop.handler.savedOffsets(pad("b"))).hasSize(6);
    }

    @Test
    void whatWasSeenOfALogIsNotForgottenWhenTheDatabaseIsRestarted() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0, P1);
        loop.engine.run(2);
        loop.commitRound();
        loop.admin.unavailable("the broker is away");
        reportCut(4, 2);
        loop.engine.run(2);
        loop.checkpoints.beginLife("life-2");
        loop.commitRound();
        loop.admin.unavailable(null);
        loop.engine.run(Duration.ofSeconds(8));

        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause()).contains("truncated");
    }

    @Test
    void aLogThatStaysAnotherUnderTheSameTopicIdIsStoppedInTheEnd() {
        loop.cluster.electLeader(P0);
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.commitRound();
        loop.cluster.turnBackLeaderEpoch(P0);
        loop.append(P0, "b", 1);
        loop.engine.run(Duration.ofMinutes(1));
        assertThat(loop.status(P0).stopped()).isFalse();
        loop.engine.run(Duration.ofMinutes(5));

        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause())
                .contains("its topic's id is still the same")
                .contains("on.topic.recreated=continue");
        assertThat(loop.handler.savedOffsets(pad("b"))).isEmpty();
    }
}
