package dev.envelope.core.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import org.junit.jupiter.api.Test;

/** After the last of three attempts the handler is asked to put the message out. */
class DeadLetterPolicyTest {

    private final AttemptCount attempts = new AttemptCount();
    private final Bench bench = new Bench(Bench.LIMITS, attempts, FailurePolicy.Last.DEAD_LETTER);
    private final PartitionEpoch epoch = Records.epoch(1);
    private boolean hasRoom = true;
    private int givenUp;

    private static final class AttemptCount implements Telemetry {
        private int failed;

        @Override
        public void attemptFailed() {
            failed++;
        }
    }

    private Outcome failUntilGivenUp(Envelope envelope) {
        if (envelope.givenUp() == null) {
            return new Outcome.Failed(
                    Dispositions.applied(0), new IllegalStateException("no"), true);
        }
        givenUp++;
        return hasRoom ? Outcome.applied(envelope) : Outcome.Waiting.on(Doing.NO_ROOM);
    }

    private void passTime() {
        for (int i = 0; i < 10; i++) {
            bench.turns();
            bench.advance(1_000);
        }
    }

    @Test
    void afterTheLastAttemptTheKeyComesOnceMoreToBePutOut() {
        bench.handler.onKey("a", this::failUntilGivenUp);
        bench.post(epoch, "a");
        passTime();

        assertThat(givenUp).isEqualTo(1);
        assertThat(attempts.failed).isEqualTo(3);
        assertThat(bench.unacked(epoch)).isZero();
    }

    @Test
    void withoutRoomTheMessageWaitsWithoutAnotherAttemptAndOtherKeysFlow() {
        hasRoom = false;
        bench.handler.onKey("a", this::failUntilGivenUp);
        bench.post(epoch, "a", "b");
        passTime();

        assertThat(givenUp).isGreaterThan(1);
        assertThat(attempts.failed).isEqualTo(3);
        assertThat(bench.handler.savedOffsets("b")).containsExactly(1L);
        assertThat(bench.unacked(epoch)).isEqualTo(1);
        bench.turns();
        assertThat(bench.shard.isQuiet()).as("it holds up no drain").isTrue();

        hasRoom = true;
        passTime();

        assertThat(bench.unacked(epoch)).isZero();
        assertThat(bench.shard.heldKeys()).isZero();
        bench.readAcks();
        assertThat(bench.noticesOf(AckInbox.Failed.class)).isEmpty();
    }
}
