package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.at;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** Turns of the poll loop, by hand: positions, exceptions of the client, faults. */
final class PollLoopTest {

    private final Loop loop = new Loop(Setup.DEFAULT);

    @Test
    void anAssignedPartitionIsPausedAtAProvisionalPositionUntilItsOwnIsFound() {
        loop.append(Loop.P0, "a", 5);
        loop.checkpoints.add(P0, loop.cluster.topicId("orders").orElseThrow(), 0, at(2));
        loop.consumer.assign(P0);

        loop.engine.turn();

        assertThat(loop.consumer.isPaused(P0)).isTrue();
        assertThat(loop.consumer.position(P0)).isZero();
        assertThat(loop.consumer.lastPollTimeout()).isLessThanOrEqualTo(Duration.ofMillis(100));
        assertThat(loop.environment.waitingInBackground()).as("asked off the thread").isOne();

        loop.engine.run(3);

        assertThat(loop.consumer.isPaused(P0)).isFalse();
        assertThat(loop.handler.savedOffsets(pad("a"))).containsExactly(2L, 3L, 4L);
    }

    @Test
    void nothingIsCommittedOfAPartitionWhosePositionIsBeingLookedFor() {
        loop.append(P0, "a", 5);
        loop.consumer.assign(P0);
        loop.engine.turn();
        loop.environment.advance(Duration.ofSeconds(5));
        loop.engine.turn();
        loop.engine.turn();

        assertThat(loop.consumer.commits()).isEmpty();
        assertThat(loop.checkpoints.saves()).isEmpty();
    }

    @Test
    void partitionsFlowWhileOthersAreStillLookedFor() {
        loop.append(P0, "a", 5);
        loop.append(P1, "b", 5);
        loop.assignAndFind(P0);
        loop.consumer.assign(P1);
        loop.engine.turn();
        loop.engine.turn();
        loop.engine.work();

        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(5);
        assertThat(loop.handler.savedOffsets(pad("b"))).isEmpty();

        loop.engine.run(3);

        assertThat(loop.handler.savedOffsets(pad("b"))).hasSize(5);
    }

    @Test
    void looksAgainWithBackoffWhereAServerDidNotAnswer() {
        loop.append(P0, "a", 5);
        loop.checkpoints.unavailable("the database is away");
        loop.assignAndFind(P0);
        loop.engine.run(Duration.ofSeconds(10));

        assertThat(loop.consumer.isPaused(P0)).isTrue();
        int questions = loop.admin.questions();
        assertThat(questions).as("not asked all the time").isLessThan(30);

        loop.checkpoints.failWith(null);
        loop.engine.run(Duration.ofSeconds(7));

        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(5);
    }

    @Test
    void aPartitionWithoutAPositionStopsAloneAndIsReported() {
        loop.append(P0, "a", 10);
        loop.append(P1, "b", 10);
        loop.checkpoints.add(P0, loop.cluster.topicId("orders").orElseThrow(), 0, at(0));
        loop.checkpoints.add(P1, loop.cluster.topicId("orders").orElseThrow(), 0, at(0));
        loop.cluster.commit(P0, new OffsetAndMetadata(7)); // by an operator's hand
        loop.assignAndFind(P0, P1);
        loop.engine.run(3);
        loop.commitRound();

        assertThat(loop.handler.savedOffsets(pad("b"))).hasSize(10);
        assertThat(loop.handler.savedOffsets(pad("a"))).isEmpty();
        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause()).contains("on.offset.ahead");
        assertThat(loop.committed(P0)).isEqualTo(7);
        assertThat(loop.engine.loop().status().hasStopped()).isTrue();
    }

    @Test
    void aMessageThatFailedForTheLastTimeStopsItsPartitionWithoutACommitPastIt() {
        loop.append(P0, "a", 2);
        loop.append(P0, "bad", 1);
        loop.append(P0, "a", 2);
        loop.append(P1, "b", 2);
        loop.handler.onKey(
                pad("bad"),
                it ->
                        new Outcome.Failed(
                                Dispositions.applied(0), new IllegalStateException("no"), false));
        loop.assignAndFind(P0, P1);
        loop.engine.run(3);
        loop.append(P0, "a", 5);
        loop.append(P1, "b", 5);
        loop.engine.run(3);
        loop.commitRound();

        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause())
                .contains("orders-0@2")
                .contains(pad("bad"))
                .contains("on.failure=stop");
        assertThat(loop.committed(P0)).isEqualTo(2);
        assertThat(loop.handler.savedOffsets(pad("a")))
                .as("what was read is saved, nothing more is read")
                .containsExactly(0L, 1L, 3L, 4L);
        assertThat(loop.committed(P1)).as("other partitions go on").isEqualTo(7);
    }

    @Test
    void anOutageOfTheBrokerPasses() {
        loop.append(P0, "a", 3);
        loop.assignAndFind(P0);
        loop.consumer.failPoll(new TimeoutException("away"));
        loop.consumer.failPoll(new TimeoutException("away"));
        long before = loop.environment.nanoTime();
        loop.engine.turn();
        loop.engine.turn();

        assertThat(loop.environment.nanoTime() - before).as("no hot loop").isPositive();

        loop.engine.run(2);

        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(3);
    }

    @Test
    void aTruncatedLogStopsItsPartitionOnceAndTheOthersGoOn() {
        loop.append(P0, "a", 3);
        loop.append(P1, "b", 3);
        loop.assignAndFind(P0, P1);
        loop.engine.run(1);
        for (int i = 0; i < 3; i++) {
            loop.consumer.failPoll(
                    new LogTruncationException(
                            Map.of(P0, 3L), Map.of(P0, new OffsetAndMetadata(1))));
        }
        loop.engine.run(4);
        loop.append(P1, "b", 3);
        loop.engine.run(2);

        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause()).contains("truncated");
        assertThat(loop.consumer.isPaused(P0)).isTrue();
        assertThat(loop.consumer.position(P0))
                .as("sought away from, or every poll would find it again")
                .isZero();
        assertThat(loop.handler.savedOffsets(pad("b"))).hasSize(6);
    }

    @Test
    void aPositionThatRetentionHasOvertakenGoesThroughTheGapPolicy() {
        loop.append(P0, "a", 100);
        loop.append(P1, "b", 3);
        loop.consumer.maxPollRecords(10);
        loop.assignAndFind(P0, P1);
        loop.engine.run(1);
        loop.commitRound();
        loop.cluster.removeBefore(P0, 90);
        loop.engine.run(5);

        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause()).contains("on.gap=earliest");
        assertThat(loop.handler.savedOffsets(pad("b"))).hasSize(3);
    }

    @Test
    void aFaultEndsTheLoopAndNothingIsCommittedAnyMore() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.engine
                .loop()
                .errand(
                        () -> {
                            throw new InvariantViolation("a turn failed");
                        });

        assertThatThrownBy(() -> loop.engine.turn()).isInstanceOf(InvariantViolation.class);
        loop.engine.loop().abandon();
        loop.consumer.close(CloseOptions.timeout(Duration.ZERO));

        assertThat(loop.consumer.commits()).isEmpty();
        assertThat(loop.checkpoints.saves()).isEmpty();
    }

    @Test
    void anErrorInTheBackgroundIsAFaultAndNotASilence() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.environment.advance(Duration.ofMillis(1001));
        loop.engine.turn();
        loop.checkpoints.failWithError(new StackOverflowError());
        loop.environment.runBackground();

        assertThatThrownBy(() -> loop.engine.turn()).isInstanceOf(InvariantViolation.class);
    }

    @Test
    void aPartitionWithoutALeaderHoldsNoOtherUp() {
        loop.append(P0, "a", 2);
        loop.append(P1, "b", 2);
        loop.admin.losesLeader(P0);
        loop.assignAndFind(P0, P1);
        loop.engine.run(2);

        assertThat(loop.handler.savedOffsets(pad("b"))).hasSize(2);
        assertThat(loop.handler.savedOffsets(pad("a"))).isEmpty();

        loop.admin.findsLeader(P0);
        loop.engine.run(Duration.ofSeconds(10));

        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(2);
    }

    @Test
    void anErrorWhileLookingForPositionsIsAFaultAndNotASilence() {
        loop.consumer.assign(P0);
        loop.engine.turn();
        loop.checkpoints.failWithError(new StackOverflowError());
        loop.environment.runBackground();

        assertThatThrownBy(() -> loop.engine.turn()).isInstanceOf(InvariantViolation.class);
    }

    @Test
    void messagesWithoutARowComeTogetherUnderTheReservedKeyOfTheirPartition() {
        loop.cluster.append(P0, null, "no key");
        loop.cluster.append(P0, "nul\0", "bad key");
        loop.append(P0, "a", 1);
        loop.assignAndFind(P0);
        loop.engine.run(2);

        assertThat(loop.handler.saved("\0orders-0"))
                .extracting(it -> String.valueOf(it.refusal()).replaceAll(":.*", ""))
                .isEqualTo(List.of("null-key", "key-nul"));
        loop.commitRound();
        assertThat(loop.committed(P0)).isEqualTo(3);
    }

    @Test
    void messagesWithoutARowThatStopAPartitionHoldNoOtherUp() {
        loop.cluster.append(P0, null, "no key");
        loop.cluster.append(P1, null, "no key");
        loop.handler.onKey(
                "\0orders-0",
                envelope ->
                        new Outcome.Failed(
                                Dispositions.applied(0),
                                new IllegalStateException("no room"),
                                false));
        loop.assignAndFind(P0, P1);
        loop.engine.run(Duration.ofMinutes(1));

        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause()).contains("message orders-0@0 without a row");
        assertThat(loop.committed(P1)).isEqualTo(1);
    }
}
