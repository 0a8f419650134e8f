package dev.envelope.core.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** After the last of three attempts the handler is asked to set the message aside. */
class ParkPolicyTest {

    private final Bench bench = new Bench(Bench.LIMITS, Telemetry.NONE, FailurePolicy.Last.PARK);
    private final PartitionEpoch epoch = Records.epoch(1);
    private final List<@Nullable GivenUp> seen = new ArrayList<>();

    private Outcome failUntilGivenUp(Envelope envelope) {
        seen.add(envelope.givenUp());
        return envelope.givenUp() == null ? failed(true) : Outcome.applied(envelope);
    }

    private static Outcome failed(boolean retryable) {
        return new Outcome.Failed(
                Dispositions.applied(0), new IllegalStateException("no"), retryable);
    }

    private void passTime() {
        for (int i = 0; i < 10; i++) {
            bench.turns();
            bench.advance(1_000);
        }
    }

    @Test
    void afterTheLastAttemptTheKeyComesOnceMoreToBeSetAside() {
        bench.handler.onKey("a", this::failUntilGivenUp);
        bench.post(epoch, "a", "a", "b");
        passTime();

        assertThat(seen).hasSize(4);
        assertThat(seen.subList(0, 3)).containsOnlyNulls();
        assertThat(seen.get(3))
                .isNotNull()
                .satisfies(last -> assertThat(last.attempts()).isEqualTo(3))
                .satisfies(last -> assertThat(last.cause()).hasMessage("no"));
        assertThat(bench.unacked(epoch)).isZero();
        assertThat(bench.shard.heldKeys()).isZero();
    }

    @Test
    void whatComesLaterIsNotGivenUp() {
        bench.handler.onKey("a", this::failUntilGivenUp);
        bench.post(epoch, "a");
        passTime();
        seen.clear();
        bench.post(epoch, "a");
        bench.turn();

        assertThat(seen).containsExactly((GivenUp) null);
    }

    @Test
    void oneThatNoOtherAttemptCouldHelpIsSetAsideAtOnce() {
        bench.handler.onKey(
                "a",
                envelope -> {
                    seen.add(envelope.givenUp());
                    return envelope.givenUp() == null ? failed(false) : Outcome.applied(envelope);
                });
        bench.post(epoch, "a");
        bench.turns();

        assertThat(seen).hasSize(2);
        assertThat(bench.unacked(epoch)).isZero();
    }

    @Test
    void anExceptionThatIsNeverRetriedIsSetAsideAtOnce() {
        FailurePolicy never =
                new FailurePolicy(
                        3,
                        Duration.ofMillis(100),
                        Duration.ofSeconds(1),
                        FailurePolicy.Last.PARK,
                        Set.of("java.lang.IllegalStateException"),
                        FailurePolicy.Patience.DEFAULT);
        Bench picky = new Bench(Bench.LIMITS, Telemetry.NONE, never);
        picky.handler.onKey("a", this::failUntilGivenUp);
        picky.post(epoch, "a");
        picky.turns();

        assertThat(seen).hasSize(2);
        assertThat(picky.unacked(epoch)).isZero();
    }

    @Test
    void whatCanNotEvenBeSetAsideStopsItsPartition() {
        bench.handler.onKey("a", envelope -> failed(true));
        bench.post(epoch, "a");
        passTime();
        bench.readAcks();

        assertThat(bench.noticesOf(AckInbox.Failed.class))
                .singleElement()
                .extracting(AckInbox.Failed::policy)
                .isEqualTo(FailurePolicy.Last.PARK);
        assertThat(bench.unacked(epoch)).isEqualTo(1);
    }
}
