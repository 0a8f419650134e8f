package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.at;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A database that is restarted or replaced, and what is left of former epochs. */
final class OtherLifeTest {

    private final Loop loop = new Loop(Setup.DEFAULT);

    @Test
    void aRestartOfTheDatabasePositionsEverythingAnewAndIgnoresOldAcks() {
        loop.append(P0, "a", 4);
        loop.append(P1, "b", 4);
        loop.assignAndFind(P0, P1);
        loop.engine.turn();
        // Both are in a turn of a worker when the database turns out to be another.
        loop.handler.onAll(it -> Outcome.Superseded.SUPERSEDED);
        loop.checkpoints.beginLife("life-2");
        loop.engine.pool().turn();
        loop.engine.pool().turn();
        loop.engine.turn();

        assertThat(loop.consumer.paused()).containsExactlyInAnyOrder(P0, P1);

        loop.handler.onAll(it -> Outcome.applied(it));
        loop.engine.run(Duration.ofMillis(200));

        assertThat(loop.handler.savedOffsets(pad("a"))).containsExactly(0L, 1L, 2L, 3L);
        assertThat(loop.handler.savedOffsets(pad("b"))).containsExactly(0L, 1L, 2L, 3L);
        loop.commitRound();
        assertThat(loop.committed(P0)).isEqualTo(4);
    }

    @Test
    void theHeartbeatFindsARestartWhileNothingIsSaved() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        loop.commitRound();
        long epoch = loop.status(P0).epoch();
        loop.checkpoints.beginLife("life-2");
        loop.checkpoints.goBack(P0, at(2));
        loop.commitRound();
        loop.engine.run(4);

        assertThat(loop.status(P0).epoch()).isGreaterThan(epoch);
        assertThat(loop.handler.savedOffsets(pad("a")))
                .as("what the fail-over lost is read again")
                .containsExactly(0L, 1L, 2L, 3L, 2L, 3L);
    }

    @Test
    void anAnswerAboutFormerEpochsDoesNotPositionThePresentOnesAnew() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.run(1);
        loop.engine.turn();
        loop.environment.advance(Duration.ofMillis(1001));
        loop.engine.turn(); // a checkpoint waits in the background
        loop.checkpoints.beginLife("life-2");
        loop.consumer.lose(P0);
        loop.consumer.assign(P0);
        int questions = loop.admin.questions();
        loop.engine.turn(); // and now a look for positions, too
        loop.environment.runBackground();
        int once = loop.admin.questions() - questions;
        loop.engine.run(5);

        assertThat(loop.status(P0).epoch()).isEqualTo(2);
        assertThat(loop.admin.questions() - questions).isEqualTo(once).isPositive();
    }

    @Test
    void aPartitionThatIsAssignedAgainWithoutARevokeLeavesNoEpochAlive() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.turn();
        loop.consumer.assignAgain(P0);
        loop.engine.turn();
        loop.engine.work();

        assertThat(loop.handler.savedOffsets(pad("a"))).isEmpty();

        loop.engine.run(3);

        assertThat(loop.handler.savedOffsets(pad("a"))).containsExactly(0L, 1L, 2L, 3L);
    }
}
