package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.position.PositionPolicy;
import dev.envelope.core.position.StartFrom;
import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Partitions whose position retention has overtaken while they were being read. */
final class OvertakenTest {

    private Loop loop = new Loop(Setup.DEFAULT);

    /** Reads ten of a hundred records and works on none; then all but the last ten are gone. */
    private void readTenAndBeOvertaken() {
        loop.consumer.maxPollRecords(10);
        loop.append(P0, "a", 100);
        loop.assignAndFind(P0, P1);
        loop.engine.turn();
        loop.cluster.removeBefore(P0, 90);
        loop.append(P1, "b", 3);
    }

    @Test
    void whatWasReadIsSavedAndCheckpointedFirstSoThatTheGapIsNotOverstated() {
        readTenAndBeOvertaken();
        loop.engine.run(8); // the commit interval is not over

        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(10);
        assertThat(loop.checkpoints.checkpoint(P0)).isEqualTo(10);
        assertThat(loop.status(P0).pausedBecause())
                .contains("offsets 10 to 89")
                .contains("at most 80 records")
                .contains("on.gap=earliest");
        assertThat(loop.handler.savedOffsets(pad("b"))).hasSize(3);
    }

    @Test
    void whatWasReadIsNotReadAgainWhereTheGapIsAccepted() {
        loop =
                new Loop(
                        Setup.DEFAULT.with(
                                new PositionPolicy(
                                        new StartFrom.Earliest(),
                                        PositionPolicy.OffsetAhead.STOP,
                                        PositionPolicy.Gap.EARLIEST)));
        readTenAndBeOvertaken();
        loop.engine.run(8);
        loop.commitRound();

        assertThat(loop.handler.savedOffsets(pad("a")))
                .containsExactly(
                        0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 90L, 91L, 92L, 93L, 94L, 95L, 96L,
                        97L, 98L, 99L);
        assertThat(loop.committed(P0)).isEqualTo(100);
        assertThat(loop.status(P0).skipped())
                .isEqualTo("offsets 10 to 89 (at most 80 records), gone from the log");
    }

    @Test
    void theLoopDoesNotStandStillForItAndTheOthersFlow() {
        loop.handler.onKey(pad("a"), it -> Outcome.Deferred.NOT_BEGUN);
        readTenAndBeOvertaken();
        long before = loop.environment.nanoTime();
        for (int i = 0; i < 4; i++) {
            loop.engine.turn();
            loop.environment.runBackground();
            loop.engine.pool().turn();
            loop.engine.pool().turn();
        }

        assertThat(loop.environment.nanoTime()).isEqualTo(before);
        assertThat(loop.consumer.isPaused(P0)).isTrue();
        assertThat(loop.status(P0).pausedBecause()).contains("what was read is saved first");
        assertThat(loop.handler.savedOffsets(pad("b"))).hasSize(3);
    }

    @Test
    void whatIsNotSavedInTimeIsWaitedForNoLonger() {
        Duration hour = Duration.ofHours(1);
        loop =
                new Loop(
                        Setup.DEFAULT.with(
                                new FailurePolicy(9, hour, hour, FailurePolicy.Last.STOP)));
        loop.handler.onKey(
                pad("a"),
                it ->
                        new Outcome.Failed(
                                Dispositions.applied(0), new IllegalStateException("no"), true));
        readTenAndBeOvertaken();
        loop.engine.run(Duration.ofSeconds(9));
        assertThat(loop.status(P0).stopped()).isFalse();
        loop.engine.run(Duration.ofSeconds(2));

        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause()).contains("offsets 0 to 89");
    }

    @Test
    void aRevokeMeanwhileCommitsWhatIsSaved() {
        readTenAndBeOvertaken();
        loop.engine.turn(); // finds that it is overtaken
        loop.engine.work();
        loop.consumer.revoke(P0);
        loop.engine.turn();
        loop.engine.run(3);

        assertThat(loop.committed(P0)).isEqualTo(10);
        assertThat(loop.consumer.assignment()).isEqualTo(Set.of(P1));
    }

    @Test
    void aMessageThatFailsMeanwhileStopsThePartitionForItsOwnReason() {
        loop.handler.onKey(
                pad("a"),
                it ->
                        new Outcome.Failed(
                                Dispositions.applied(2), new IllegalStateException("no"), false));
        readTenAndBeOvertaken();
        loop.engine.run(8);
        loop.commitRound();

        assertThat(loop.status(P0).pausedBecause()).contains("orders-0@2");
        assertThat(loop.committed(P0)).isEqualTo(2);
    }

    @Test
    void nothingWaitsForADatabaseThatIsAwayBeyondTheDeadline() {
        readTenAndBeOvertaken();
        loop.checkpoints.unavailable("the database is away");
        int calls = loop.checkpoints.calls();
        loop.engine.run(Duration.ofSeconds(8));
        assertThat(loop.checkpoints.calls() - calls).as("once an interval").isLessThan(10);
        loop.engine.run(Duration.ofSeconds(4));
        loop.checkpoints.failWith(null);
        loop.engine.run(Duration.ofSeconds(7));

        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.handler.savedOffsets(pad("b"))).hasSize(3);
    }

    @Test
    void aPositionThatTheClientHasForgottenIsFoundAnewWithoutAnotherPollThatFails() {
        loop.append(P0, "a", 5);
        loop.assignAndFind(P0, P1);
        loop.engine.run(2);
        loop.consumer.forgetPosition(P0);
        loop.engine.turn();
        assertThat(loop.consumer.position(P0)).isNotNegative();
        loop.append(P0, "a", 5);
        loop.engine.run(8);

        assertThat(loop.handler.savedOffsets(pad("a")))
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    }
}
