package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.membership.Slots;
import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

/** The end of the loop: drain, commit, leave. */
final class ClosingTest {

    private final Loop loop = new Loop(Setup.DEFAULT.withShards(1));

    /** Turns everything until the loop has ended. */
    private Duration untilEnded() {
        long before = loop.environment.nanoTime();
        for (int i = 0; i < 10_000; i++) {
            if (!loop.engine.turn()) {
                return Duration.ofNanos(loop.environment.nanoTime() - before);
            }
            loop.environment.runBackground();
            loop.engine.pool().turn();
            loop.environment.advance(Duration.ofMillis(10));
        }
        throw new AssertionError("the loop does not end");
    }

    @Test
    void fetchesNoMoreDrainsWhatWasFetchedAndCommitsIt() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.engine.loop().close(Duration.ofSeconds(20));
        loop.append(P0, "a", 4);
        untilEnded();

        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(4);
        assertThat(loop.committed(P0)).isEqualTo(4);
        assertThat(loop.engine.loop().endedComplete()).isTrue();
    }

    @Test
    void endsAtOnceWhenNothingIsUnderWay() {
        loop.assignAndFind(P0);
        loop.engine.run(1);
        loop.engine.loop().close(Duration.ofSeconds(20));

        assertThat(untilEnded()).isLessThan(Duration.ofMillis(50));
        assertThat(loop.engine.loop().endedComplete()).isTrue();
    }

    @Test
    void endsWhilePositionsAreStillLookedFor() {
        loop.checkpoints.unavailable("away");
        loop.assignAndFind(P0);
        loop.engine.loop().close(Duration.ofSeconds(20));

        assertThat(untilEnded()).isLessThan(Duration.ofMillis(50));
        assertThat(loop.consumer.commits()).isEmpty();
    }

    @Test
    void doesNotWaitForAKeyThatWaitsForAnotherAttemptAndSaysThatItWasNotComplete() {
        loop.append(P0, "bad", 1);
        loop.append(P0, "a", 4);
        loop.handler.onKey(
                pad("bad"),
                it ->
                        new Outcome.Failed(
                                Dispositions.applied(0), new IllegalStateException("no"), true));
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.engine.pool().turn();
        loop.engine.loop().close(Duration.ofSeconds(20));
        untilEnded();

        assertThat(loop.committed(P0)).isEqualTo(-1);
        assertThat(loop.engine.loop().endedComplete()).isFalse();
    }

    @Test
    void waitsForAStoreThatHasFailedForAMoment() {
        loop.append(P0, "a", 4);
        var answers = new int[1];
        loop.handler.onKey(
                pad("a"),
                it ->
                        ++answers[0] == 1
                                ? new Outcome.Unavailable(new UnavailableException("away"))
                                : Outcome.applied(it));
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.engine.pool().turn();
        loop.engine.loop().close(Duration.ofSeconds(20));
        untilEnded();

        assertThat(loop.committed(P0)).isEqualTo(4);
        assertThat(loop.engine.loop().endedComplete()).isTrue();
    }

    @Test
    void waitsForARowThatSomebodyElseHasLockedForAMoment() {
        loop.append(P0, "a", 4);
        var answers = new int[1];
        loop.handler.onKey(
                pad("a"),
                it -> ++answers[0] == 1 ? Outcome.Waiting.on(Doing.LOCKED) : Outcome.applied(it));
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.engine.pool().turn();
        loop.engine.loop().close(Duration.ofSeconds(20));
        untilEnded();

        assertThat(loop.committed(P0)).isEqualTo(4);
    }

    @Test
    void waitsForAFoldThatWasLeftBehind() {
        loop.append(P0, "slow", 1);
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.engine.loop().close(Duration.ofSeconds(20));
        loop.handler.onNextTurn(
                turn -> {
                    turn.enter(0);
                    loop.environment.advance(Duration.ofSeconds(1));
                    loop.engine.pool().watch();
                    for (int i = 0; i < 5; i++) {
                        assertThat(loop.engine.turn()).as("it goes on").isTrue();
                    }
                    assertThat(turn.leave(0, "folded")).isFalse();
                });
        untilEnded();

        assertThat(loop.handler.savedOffsets(pad("slow"))).containsExactly(0L);
        assertThat(loop.committed(P0)).isEqualTo(1);
        assertThat(loop.engine.loop().endedComplete()).isTrue();
    }

    @Test
    void givesUpAtItsDeadlineAndCommitsWhatIsAcked() {
        loop.append(P0, "a", 4);
        loop.append(P0, "endless", 1);
        loop.handler.onKey(pad("endless"), it -> Outcome.Deferred.NOT_BEGUN);
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.engine.loop().close(Duration.ofSeconds(2));

        assertThat(untilEnded()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(3));
        assertThat(loop.committed(P0)).isEqualTo(4);
        assertThat(loop.engine.loop().endedComplete()).isFalse();
    }

    /** It may have stood still while the database was asked: the next owner has gone on. */
    @Test
    void doesNotCommitWhatIsLostWhileItsLastCheckpointIsSaved() {
        var held = new OneSlot();
        Loop its = new Loop(Setup.DEFAULT.withShards(1).with(held));
        its.append(P0, "a", 4);
        its.engine.run(5);
        assertThat(its.handler.savedOffsets(pad("a"))).hasSize(4);
        its.engine.loop().close(Duration.ofSeconds(20));
        its.environment.whileParked(
                () -> {
                    held.isLost = true;
                    its.cluster.commit(P0, new OffsetAndMetadata(9));
                    its.environment.runBackground();
                });
        assertThat(its.engine.turn()).isFalse();

        assertThat(held.isLost).as("it has waited").isTrue();
        assertThat(its.checkpoints.checkpoint(P0)).isEqualTo(4);
        assertThat(its.committed(P0)).as("of who has it now").isEqualTo(9);
    }

    /** The one slot that there is. */
    private static final class OneSlot implements Slots {

        private boolean isLost;

        @Override
        public Held held() {
            return new Held(1, isLost ? Map.of() : Map.of(0, 1L), 1);
        }

        @Override
        public void isReading(int partitions) {
            // It holds it until the test says otherwise.
        }

        @Override
        public void onChange(Runnable changed) {
            // The loop looks in each turn.
        }
    }
}
