package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.P2;
import static dev.envelope.core.fetch.Loop.RECORD_BYTES;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How much may be fetched ahead of the work. */
final class BudgetTest {

    private Loop loop = new Loop(Setup.DEFAULT);

    @Test
    void aPartitionOverTheBudgetPausesAndGoesOnWhenItsWorkIsAcked() {
        loop = new Loop(Loop.limits(10L * RECORD_BYTES, 100_000));
        loop.consumer.maxPollRecords(10);
        loop.append(P0, "a", 30);
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.engine.turn();

        assertThat(loop.consumer.isPaused(P0)).isTrue();
        assertThat(loop.consumer.position(P0)).isEqualTo(10);
        assertThat(loop.consumer.lastPollTimeout())
                .as("an ack is worth a quick look")
                .isLessThan(Duration.ofMillis(20));

        loop.engine.work();
        loop.engine.turn();

        assertThat(loop.consumer.isPaused(P0)).isFalse();
        assertThat(loop.consumer.position(P0)).isEqualTo(20);
    }

    /** The budget is what has it pause, and the span below: without them it reads on. */
    @Test
    void withoutABudgetAndASpanAPartitionReadsOnWhateverIsInFlight() {
        loop = new Loop(Loop.limits(1L << 30, 100_000));
        loop.consumer.maxPollRecords(10);
        loop.append(P0, "stuck", 1);
        loop.append(P0, "other", 200);
        loop.handler.onKey(pad("stuck"), it -> Outcome.Deferred.NOT_BEGUN);
        loop.assignAndFind(P0);
        for (int i = 0; i < 30; i++) {
            loop.engine.turn();
            loop.engine.pool().turn();
            assertThat(loop.consumer.isPaused(P0)).isFalse();
        }

        assertThat(loop.consumer.position(P0)).isEqualTo(201);
    }

    @Test
    void aPartitionWithNothingInFlightGetsOnePollWhateverOthersHold() {
        loop = new Loop(Loop.limits(10L * RECORD_BYTES, 100_000));
        loop.consumer.maxPollRecords(10);
        loop.append(P0, "a", 30);
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.append(P1, "b", 30);
        loop.assignAndFind(P1);
        loop.engine.turn();
        loop.engine.turn();

        assertThat(loop.consumer.position(P0)).isEqualTo(10);
        assertThat(loop.consumer.position(P1)).isEqualTo(10);
        assertThat(loop.consumer.paused()).containsExactlyInAnyOrder(P0, P1);
    }

    @Test
    void idleSharesAreLentUpToHalfOfTheBudget() {
        loop = new Loop(Loop.limits(90L * RECORD_BYTES, 100_000));
        loop.consumer.maxPollRecords(5);
        loop.append(P0, "a", 200);
        loop.assignAndFind(P0, P1, P2);
        for (int i = 0; i < 40; i++) {
            loop.engine.turn();
        }

        // Its share is 30 records; below 45 everybody may fetch.
        assertThat(loop.consumer.position(P0)).isEqualTo(45);
        assertThat(loop.consumer.isPaused(P0)).isTrue();
        assertThat(loop.consumer.isPaused(P1)).isFalse();

        loop.append(P1, "b", 200);
        for (int i = 0; i < 40; i++) {
            loop.engine.turn();
        }

        assertThat(loop.consumer.position(P1)).as("who is under his share").isEqualTo(30);
    }

    @Test
    void aPartitionPausesWhenTooManyRecordsLieAheadOfItsFirstUnackedOne() {
        loop = new Loop(Loop.limits(1L << 30, 50));
        loop.consumer.maxPollRecords(10);
        loop.append(P0, "stuck", 1);
        loop.append(P0, "other", 200);
        loop.handler.onKey(pad("stuck"), it -> Outcome.Deferred.NOT_BEGUN);
        loop.assignAndFind(P0);
        for (int i = 0; i < 20; i++) {
            loop.engine.turn();
            loop.engine.pool().turn();
        }

        assertThat(loop.consumer.position(P0)).isEqualTo(50);
        assertThat(loop.handler.savedOffsets(pad("other"))).hasSize(49);
        assertThat(loop.status(P0).pausedBecause()).isEqualTo("enough is in flight");

        loop.handler.onKeyNoMore(pad("stuck"));
        loop.engine.run(40);

        assertThat(loop.handler.savedOffsets(pad("other"))).hasSize(200);
    }
}
