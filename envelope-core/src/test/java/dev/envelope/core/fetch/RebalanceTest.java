package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.P2;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Partitions that come and go: assigned, revoked, lost. */
final class RebalanceTest {

    private final Loop loop = new Loop(Setup.DEFAULT.withShards(1));

    @Test
    void aRevokeWaitsForTheTurnThatRunsAndCommitsWhatItSaved() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.consumer.revoke(P0);
        // The poll thread revokes while a worker is in the middle of its turn, which ends
        // meanwhile.
        loop.handler.onNextTurn(
                turn -> {
                    loop.environment.whileParked(
                            () -> {
                                loop.environment.whileParked(loop.environment::runBackground);
                                loop.handler.settleAll(turn);
                            });
                    loop.engine.turn();
                });
        loop.engine.pool().turn();

        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(4);
        assertThat(loop.consumer.assignment()).isEmpty();
    }

    @Test
    void aRevokeCommitsWhatIsAckedAndNothingMore() {
        loop.append(P0, "a", 4);
        loop.append(P1, "b", 4);
        loop.assignAndFind(P0, P1);
        loop.engine.run(2);
        loop.append(P0, "a", 4);
        loop.engine.turn(); // fetched, and not worked on
        loop.consumer.revoke(P0);
        loop.engine.turn();

        assertThat(loop.committed(P0)).isEqualTo(4);
        assertThat(loop.committed(P1)).as("only what is named").isEqualTo(-1);
        assertThat(loop.consumer.assignment()).isEqualTo(Set.of(P1));

        loop.engine.run(3);

        assertThat(loop.handler.savedOffsets(pad("a")))
                .as("nothing of it enters a turn any more")
                .hasSize(4);
    }

    @Test
    void aRevokeDoesNotWaitBeyondItsDeadline() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.consumer.revoke(P0);
        long before = loop.environment.nanoTime();
        loop.handler.onNextTurn(
                turn -> {
                    loop.engine.turn(); // and this turn of a worker never ends
                    loop.handler.settleAll(turn);
                });
        loop.engine.pool().turn();

        Duration waited = Duration.ofNanos(loop.environment.nanoTime() - before);
        assertThat(waited).isLessThanOrEqualTo(Duration.ofSeconds(3));
        assertThat(loop.committed(P0)).as("nothing was acked in time").isEqualTo(-1);
    }

    @Test
    void aRevokeWithoutAConfirmedCheckpointDoesNotCommit() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.consumer.revoke(P0);
        loop.environment.whileParked(() -> {}); // the database does not answer
        long before = loop.environment.nanoTime();
        loop.engine.turn();

        assertThat(loop.consumer.commits()).isEmpty();
        assertThat(Duration.ofNanos(loop.environment.nanoTime() - before))
                .isLessThanOrEqualTo(Duration.ofSeconds(3));

        loop.environment.runBackground();
        loop.engine.run(3);

        assertThat(loop.consumer.commits()).as("its answer comes too late").isEmpty();
    }

    @Test
    void aRevokeWhoseCheckpointFailsDoesNotCommit() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.checkpoints.unavailable("the database is away");
        loop.consumer.revoke(P0);
        loop.engine.turn();

        assertThat(loop.consumer.commits()).isEmpty();
    }

    @Test
    void aTurnThatEndsWithoutAnAckDoesNotKeepTheRevokeWaiting() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.consumer.revoke(P0);
        Duration[] waited = {Duration.ZERO};
        loop.handler.onNextTurn(
                turn -> {
                    turn.enter(0);
                    loop.environment.advance(Duration.ofMillis(300));
                    loop.environment.whileParked(
                            () -> {
                                loop.environment.runBackground();
                                loop.engine.pool().watch(); // which ends the turn, and acks nothing
                            });
                    long before = loop.environment.nanoTime();
                    loop.engine.turn();
                    waited[0] = Duration.ofNanos(loop.environment.nanoTime() - before);
                    turn.leave(0, null);
                });
        loop.engine.pool().turn();

        assertThat(waited[0]).isPositive().isLessThan(Duration.ofMillis(100));
    }

    @Test
    void nothingMoreEntersATurnWhileARevokeWaits() {
        loop.append(P0, "a", 1);
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.handler.onNextTurn(
                turn -> {
                    turn.enter(0);
                    loop.append(P0, "b", 4);
                    loop.engine.turn(); // they wait for the shard
                    loop.environment.advance(Duration.ofMillis(300));
                    loop.environment.whileParked(
                            () -> {
                                loop.environment.runBackground();
                                loop.engine.pool().watch(); // the shard is free again
                                loop.engine.work();
                            });
                    loop.consumer.revoke(P0);
                    loop.engine.turn();
                    turn.leave(0, null);
                });
        loop.engine.work();

        assertThat(loop.handler.turns()).hasSize(1);
        assertThat(loop.committed(P0)).isEqualTo(-1);
    }

    @Test
    void aLostPartitionIsForgottenWithoutACommit() {
        loop.append(P0, "a", 4);
        loop.append(P1, "b", 4);
        loop.assignAndFind(P0, P1);
        loop.engine.run(2);
        loop.append(P0, "a", 4);
        loop.engine.turn();
        loop.consumer.lose(P0);
        loop.engine.turn();
        loop.engine.run(2);
        loop.commitRound();

        assertThat(loop.committed(P0)).isEqualTo(-1);
        assertThat(loop.checkpoints.checkpoint(P0)).isZero();
        assertThat(loop.committed(P1)).isEqualTo(4);
        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(4);
        assertThat(loop.engine.shards()).allMatch(it -> it.isIdle());
    }

    @Test
    void acksOfARevokedPartitionThatComeLateChangeNothing() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.turn();
        // The turn outlasts the revoke, and the partition is back before it ends.
        loop.handler.onNextTurn(
                turn -> {
                    loop.consumer.lose(P0);
                    loop.consumer.assign(P0);
                    loop.engine.turn();
                    loop.environment.runBackground();
                    loop.engine.turn();
                    loop.handler.settleAll(turn);
                });
        loop.engine.pool().turn();
        loop.engine.turn();

        assertThat(loop.status(P0).epoch()).isEqualTo(2);
        assertThat(loop.status(P0).unacked()).as("the acks were of epoch 1").isEqualTo(4);

        loop.engine.run(2);
        loop.commitRound();

        assertThat(loop.committed(P0)).isEqualTo(4);
    }

    @Test
    void aPartitionThatComesBackIsAFreshEpochFromItsFirstUnackedRecord() {
        loop.append(P0, "a", 4);
        loop.append(P0, "stuck", 1);
        loop.append(P0, "a", 4);
        loop.handler.onKey(pad("stuck"), it -> Outcome.Deferred.NOT_BEGUN);
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.engine.pool().turn();
        loop.consumer.revoke(P0);
        loop.engine.turn();
        assertThat(loop.committed(P0)).isEqualTo(4);
        loop.handler.onKeyNoMore(pad("stuck"));
        loop.assignAndFind(P0);
        loop.engine.run(3);

        assertThat(loop.handler.savedOffsets(pad("stuck"))).containsExactly(4L);
        assertThat(loop.status(P0).epoch()).isEqualTo(2);
        assertThat(loop.status(P0).unacked()).isZero();
        assertThat(loop.engine.shards()).allMatch(it -> it.isIdle());
    }

    @Test
    void aPartitionThatIsGoneBeforeItWasFoundIsForgotten() {
        loop.append(P0, "a", 4);
        loop.consumer.assign(P0, P1);
        loop.engine.turn();
        loop.consumer.revoke(P0);
        loop.engine.turn();
        loop.environment.runBackground();
        loop.engine.run(2);

        assertThat(loop.handler.savedOffsets(pad("a"))).isEmpty();
        assertThat(loop.consumer.assignment()).isEqualTo(Set.of(P1));
        assertThat(loop.consumer.commits()).isEmpty();
    }

    @Test
    void anAnswerAboutAFormerAssignmentDoesNotMoveThePresentOne() {
        loop.append(P0, "a", 4);
        loop.consumer.assign(P0);
        loop.engine.turn();
        loop.consumer.lose(P0);
        loop.consumer.assign(P0);
        loop.engine.turn();
        loop.environment.runOneInBackground(); // the answer to the first question
        loop.engine.turn();

        assertThat(loop.consumer.isPaused(P0)).isTrue();

        loop.engine.run(3);

        assertThat(loop.handler.savedOffsets(pad("a"))).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void assignmentsAreIncremental() {
        loop.append(P0, "a", 4);
        loop.append(P1, "b", 4);
        loop.append(P2, "c", 4);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.consumer.assign(P1);
        loop.engine.turn();
        loop.consumer.assign(P2);
        loop.engine.run(4);
        loop.commitRound();

        assertThat(loop.status(P0).epoch()).isEqualTo(1);
        assertThat(loop.committed(P0)).isEqualTo(4);
        assertThat(loop.committed(P1)).isEqualTo(4);
        assertThat(loop.committed(P2)).isEqualTo(4);
        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(4);
    }

    @Test
    void aCommitThatIsUnderWayAtARevokeIsNotRepeatedWithALowerOffset() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.consumer.holdCommitReplies(true);
        loop.commitRound();
        loop.append(P0, "a", 4);
        loop.engine.run(2);
        loop.consumer.revoke(P0);
        loop.engine.turn();

        assertThat(loop.consumer.commits())
                .extracting(it -> it.values().iterator().next().offset())
                .containsExactly(4L, 8L);
    }

    @Test
    void anInstanceWithoutAPartitionHasJoinedAllTheSame() {
        assertThat(loop.engine.loop().status().joined()).isFalse();
        loop.consumer.assign();
        loop.engine.turn();
        loop.environment.advance(Duration.ofMillis(201));
        loop.engine.turn();

        assertThat(loop.engine.loop().status().joined()).isTrue();
    }
}
