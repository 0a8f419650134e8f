package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.MustStopException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Partitions that stay stopped until an operator resumes them. */
final class HeldPartitionTest {

    private static final FailurePolicy PARK =
            new FailurePolicy(3, Duration.ZERO, Duration.ZERO, FailurePolicy.Last.PARK);

    private final Loop loop = new Loop(Setup.DEFAULT.with(PARK));

    /** The handler has recorded that the partition of this key stays stopped. */
    private void stopAt(String key) {
        loop.handler.onKey(
                pad(key),
                envelope -> {
                    loop.checkpoints.stop(envelope.first().epoch().source(), "too much fails");
                    return new Outcome.Failed(
                            Dispositions.applied(0),
                            new MustStopException("too much fails"),
                            false);
                });
    }

    @Test
    void itStopsWhateverThePolicyAndGoesOnByItselfWhenItIsResumed() {
        loop.append(P0, "bad", 1);
        loop.append(P1, "b", 2);
        stopAt("bad");
        loop.assignAndFind(P0, P1);
        loop.engine.run(3);

        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause())
                .isEqualTo(
                        "too much fails. It stays so until: envelope partitions resume orders-0");
        assertThat(loop.handler.keysByTurn().stream().filter(it -> it.contains(pad("bad"))))
                .as("neither retried nor set aside")
                .hasSize(1);
        loop.engine.run(Duration.ofMinutes(1));
        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.committed(P0)).isLessThan(1);
        assertThat(loop.committed(P1)).isEqualTo(2);

        loop.handler.onKeyNoMore(pad("bad"));
        loop.checkpoints.resume(1);
        loop.checkpoints.resume(2);
        loop.checkpoints.resume(3);
        loop.engine.run(Duration.ofSeconds(5));

        assertThat(loop.status(P0).stopped()).isFalse();
        assertThat(loop.committed(P0)).isEqualTo(1);
    }

    @Test
    void whoIsGivenAPartitionThatStaysStoppedDoesNotReadItBeforeItIsResumed() {
        loop.append(P0, "a", 2);
        loop.append(P1, "b", 2);
        loop.assignAndFind(P0, P1);
        loop.engine.run(Duration.ofSeconds(3));
        int source = loop.handler.saved(pad("a")).get(0).epoch().source();
        loop.consumer.revoke(P0);
        loop.engine.run(3);
        loop.append(P0, "a", 1);
        loop.checkpoints.stop(source, "too much failed");

        loop.consumer.assign(P0);
        loop.engine.run(Duration.ofSeconds(10));

        assertThat(loop.status(P0).pausedBecause()).startsWith("too much failed. It stays so");
        assertThat(loop.handler.savedOffsets(pad("a"))).containsExactly(0L, 1L);

        loop.checkpoints.resume(source);
        loop.engine.run(Duration.ofSeconds(5));
        assertThat(loop.handler.savedOffsets(pad("a"))).containsExactly(0L, 1L, 2L);
    }

    @Test
    void aDatabaseThatIsAwayResumesNothing() {
        loop.append(P0, "bad", 1);
        stopAt("bad");
        loop.assignAndFind(P0);
        loop.engine.run(3);
        loop.checkpoints.failWith(new UnavailableException("away"));
        loop.engine.run(Duration.ofSeconds(10));

        assertThat(loop.status(P0).stopped()).isTrue();
    }
}
