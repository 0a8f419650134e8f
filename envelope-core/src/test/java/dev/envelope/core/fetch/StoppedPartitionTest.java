package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Partitions that wait for a person, whatever else happens. */
final class StoppedPartitionTest {

    private Loop loop = new Loop(Setup.DEFAULT);

    @Test
    void itStaysStoppedWhenTheDatabaseIsRestartedAndTheOthersArePositionedAnewOnce() {
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
        String reason = loop.status(P0).pausedBecause();
        loop.handler.onKeyNoMore(pad("bad"));
        loop.checkpoints.beginLife("life-2");
        loop.engine.run(Duration.ofSeconds(3));
        loop.append(P1, "b", 2);
        loop.engine.run(Duration.ofSeconds(3));

        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause()).isEqualTo(reason).contains("orders-0@2");
        assertThat(loop.handler.savedOffsets(pad("bad"))).isEmpty();
        assertThat(loop.committed(P0)).as("nothing of the former life counts").isEqualTo(-1);
        assertThat(loop.status(P1).epoch()).isEqualTo(3);
        assertThat(loop.committed(P1)).isEqualTo(4);
    }

    @Test
    void whatStillWaitedInItIsNotFoldedInAnotherLifeOfTheDatabase() {
        Duration wait = Duration.ofSeconds(10);
        loop =
                new Loop(
                        Setup.DEFAULT.with(
                                new FailurePolicy(9, wait, wait, FailurePolicy.Last.STOP)));
        loop.append(P0, "bad", 1);
        loop.append(P0, "later", 1);
        loop.handler.onKey(
                pad("bad"),
                it ->
                        new Outcome.Failed(
                                Dispositions.applied(0), new IllegalStateException("no"), false));
        loop.handler.onKey(
                pad("later"),
                it ->
                        new Outcome.Failed(
                                Dispositions.applied(0), new IllegalStateException("no"), true));
        loop.assignAndFind(P0, P1);
        loop.engine.run(3);
        loop.checkpoints.beginLife("life-2");
        loop.engine.run(wait.multipliedBy(2));

        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.handler.keysByTurn().stream().flatMap(List::stream))
                .containsExactlyInAnyOrder(pad("bad"), pad("later"));
    }
}
