package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.P2;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a person pauses. */
final class OperatorPausesTest {

    private final Loop loop = new Loop(Setup.DEFAULT);

    @Test
    void whatWasFetchedOfAPausedPartitionIsSavedAndCommittedAndNothingMoreIsFetched() {
        loop.append(P0, "a", 4);
        loop.append(P1, "b", 4);
        loop.assignAndFind(P0, P1);
        loop.engine.turn();
        loop.engine.loop().pause(P0);
        loop.engine.turn();
        loop.append(P0, "a", 4);
        loop.append(P1, "b", 4);
        loop.engine.run(3);
        loop.commitRound();

        assertThat(loop.committed(P0)).isEqualTo(4);
        assertThat(loop.committed(P1)).isEqualTo(8);
        assertThat(loop.status(P0).pausedBecause()).isEqualTo("an operator has paused it");
        assertThat(loop.status(P0).lag()).isEqualTo(4);
        assertThat(loop.consumer.lastPollTimeout())
                .as("there is nothing to be quick for")
                .isGreaterThanOrEqualTo(Duration.ofMillis(100));

        loop.engine.loop().resume(P0);
        loop.engine.run(3);

        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(8);
        assertThat(loop.status(P0).pausedBecause()).isEmpty();
    }

    @Test
    void whenAllArePausedThoseThatComeLaterAreToo() {
        loop.append(P0, "a", 2);
        loop.append(P2, "c", 2);
        loop.engine.loop().pauseAll();
        loop.assignAndFind(P0);
        loop.engine.run(3);
        loop.assignAndFind(P2);
        loop.engine.run(3);
        loop.engine.loop().resume(P0);
        loop.engine.run(3);

        assertThat(loop.handler.saved(pad("a"))).as("all means all").isEmpty();
        assertThat(loop.handler.saved(pad("c"))).isEmpty();

        loop.engine.loop().resumeAll();
        loop.engine.run(3);

        assertThat(loop.handler.saved(pad("a"))).hasSize(2);
        assertThat(loop.handler.saved(pad("c"))).hasSize(2);
    }
}
