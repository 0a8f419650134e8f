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
import dev.envelope.core.turn.Outcome.Waiting;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keys that wait for what is nobody's fault: without an attempt, and with nobody behind them. */
final class WaitingKeysTest {

    private final FailurePolicy failures =
            new FailurePolicy(
                    3, Duration.ofMillis(100), Duration.ofSeconds(1), FailurePolicy.Last.PARK);
    private final Bench bench = new Bench(Bench.LIMITS, Telemetry.NONE, failures);
    private final PartitionEpoch epoch = Records.epoch(1);
    private Doing why = Doing.DECODER_OUT;
    private boolean isOver;
    private int tries;

    private Outcome waitsForItsFirst(Envelope envelope) {
        tries++;
        return isOver
                ? Outcome.applied(envelope)
                : new Waiting(
                        Dispositions.applied(0),
                        why,
                        new IllegalStateException("the registry is away"));
    }

    private void pass(Duration time) {
        Duration step = Duration.ofMillis(500);
        for (Duration gone = Duration.ZERO; gone.compareTo(time) < 0; gone = gone.plus(step)) {
            bench.environment.advance(step);
            bench.turns();
        }
    }

    private Standing standing() {
        return bench.shard.standing("a").orElseThrow();
    }

    @Test
    void anOutageIsWaitedForAsLongAsItLastsAndOtherKeysOfTheShardFlow() {
        bench.handler.onKey("a", this::waitsForItsFirst);
        bench.post(epoch, "a", "a", "b");
        bench.turns();
        assertThat(bench.handler.savedOffsets("b")).as("in the same turn").containsExactly(2L);
        bench.post(epoch, "c");
        bench.turns();
        assertThat(bench.handler.savedOffsets("c")).as("at once").containsExactly(3L);

        pass(Duration.ofHours(3));
        assertThat(tries).as("with a back-off").isBetween(1_000, 4_000);
        assertThat(standing().doing()).isEqualTo(Doing.DECODER_OUT);
        assertThat(standing().failedAttempts()).isZero();
        assertThat(standing().trouble()).contains("the registry is away");
        assertThat(bench.noticesOf(AckInbox.Impatient.class)).isEmpty();

        isOver = true;
        pass(Duration.ofSeconds(10));
        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L, 1L);
        assertThat(bench.shard.heldKeys()).isZero();
    }

    @Test
    void anotherVersionIsWaitedForAnHourAndThenItsPartitionStopsAndNothingIsGivenUp() {
        why = Doing.OTHER_VERSION;
        bench.handler.onKey("a", this::waitsForItsFirst);
        bench.post(epoch, "a", "a");
        pass(Duration.ofMinutes(59));
        assertThat(bench.noticesOf(AckInbox.Impatient.class)).isEmpty();
        assertThat(standing().doing()).isEqualTo(Doing.OTHER_VERSION);

        pass(Duration.ofMinutes(2));
        assertThat(bench.noticesOf(AckInbox.Impatient.class))
                .singleElement()
                .satisfies(it -> assertThat(it.message().offset()).isZero());
        assertThat(bench.noticesOf(AckInbox.Failed.class)).isEmpty();
        assertThat(standing().doing()).isEqualTo(Doing.STOPPED);
        assertThat(bench.unacked(epoch)).isEqualTo(2);
    }

    @Test
    void anotherCauseHasItsTimeFromItsOwnBeginning() {
        bench.handler.onKey("a", this::waitsForItsFirst);
        bench.post(epoch, "a");
        pass(Duration.ofHours(2));
        why = Doing.OTHER_VERSION;
        pass(Duration.ofMinutes(30));

        assertThat(bench.noticesOf(AckInbox.Impatient.class)).isEmpty();
    }

    @Test
    void whatAnotherPartitionsMessageHasWaitedDoesNotCount() {
        PartitionEpoch other = Records.epoch(2);
        why = Doing.OTHER_VERSION;
        bench.handler.onKey("a", this::waitsForItsFirst);
        bench.post(epoch, "a");
        bench.post(other, "a");
        pass(Duration.ofMinutes(59));
        epoch.end();
        bench.shard.epochsEnded();
        pass(Duration.ofMinutes(50));

        assertThat(bench.noticesOf(AckInbox.Impatient.class)).isEmpty();
    }

    /** A full outbox keeps a key from being tried, and says nothing about what it waited for. */
    @Test
    void anOutboxThatIsFullNowAndThenDoesNotMakeThatTimeBeginAnew() {
        bench.handler.onKey(
                "a",
                envelope -> {
                    why = tries % 10 == 9 ? Doing.NO_ROOM : Doing.OTHER_VERSION;
                    return waitsForItsFirst(envelope);
                });
        bench.post(epoch, "a");
        pass(Duration.ofMinutes(59));
        assertThat(bench.noticesOf(AckInbox.Impatient.class)).isEmpty();

        pass(Duration.ofMinutes(2));
        assertThat(bench.noticesOf(AckInbox.Impatient.class)).hasSize(1);
        assertThat(standing().doing()).isEqualTo(Doing.STOPPED);
    }

    @Test
    void aFullOutboxIsWaitedForSinceItWasFoundFull() {
        why = Doing.NO_ROOM;
        bench.handler.onKey("a", this::waitsForItsFirst);
        bench.post(epoch, "a");
        bench.turns();
        long since = standing().sinceNanos();
        pass(Duration.ofMinutes(10));

        assertThat(tries).isGreaterThan(100);
        assertThat(standing().doing()).isEqualTo(Doing.NO_ROOM);
        assertThat(standing().sinceNanos()).isEqualTo(since);
    }

    @Test
    void aClosingConsumerDoesNotWaitForIt() {
        bench.handler.onKey("a", this::waitsForItsFirst);
        bench.post(epoch, "a");
        bench.turns();

        assertThat(bench.shard.isQuiet()).isTrue();
    }

    /** Asking each of them in vain, one after the other, costs more than their work. */
    @Test
    void whileThereIsRoomForNoneOneTurnNowAndThenAsksAndTheOrderStays() {
        Bench small =
                new Bench(
                        new TurnLimits(100, 1 << 20, 2, 1 << 20, Duration.ofSeconds(1)),
                        Telemetry.NONE,
                        failures);
        for (String key : List.of("a", "b", "c", "d", "e", "f")) {
            small.handler.onKey(
                    key,
                    envelope -> {
                        tries++;
                        return isOver ? Outcome.applied(envelope) : Outcome.Crowded.CROWDED;
                    });
        }
        small.post(epoch, "a", "b", "c", "d", "e", "f", "a");
        small.turns();
        assertThat(tries).as("of one turn").isEqualTo(2);
        assertThat(small.shard.standing("a").orElseThrow().doing()).isEqualTo(Doing.NO_ROOM);
        assertThat(small.shard.isQuiet()).as("nobody waits for it to close").isTrue();

        for (int i = 0; i < 10; i++) {
            small.environment.advance(Duration.ofMillis(50));
            small.turns();
        }
        assertThat(tries).isEqualTo(2 * 11);
        assertThat(small.noticesOf(AckInbox.Failed.class)).isEmpty();

        isOver = true;
        small.environment.advance(Duration.ofMillis(50));
        small.turns();
        assertThat(small.handler.savedOffsets("a")).containsExactly(0L, 6L);
        assertThat(small.unacked(epoch)).isZero();
        assertThat(small.shard.heldKeys()).isZero();
    }

    /** What is taken up in vain is kept, and enters again: that costs more than its work. */
    @Test
    void withoutRoomNothingIsTakenUpForASecondAndThenItsKeysSayWhatTheyWaitFor() {
        bench.handler.onAll(
                envelope -> isOver ? Outcome.applied(envelope) : Outcome.Crowded.CROWDED);
        bench.handler.hasRoom(false);
        bench.post(epoch, "a", "b", "a");
        bench.turns();
        pass(Duration.ofSeconds(1));
        assertThat(bench.handler.turns()).isEmpty();
        assertThat(bench.shard.heldKeys()).isZero();
        assertThat(bench.shard.isQuiet()).as("nobody waits for it to close").isTrue();

        pass(Duration.ofMillis(500));
        assertThat(bench.handler.turns()).hasSize(1);
        assertThat(standing().doing()).isEqualTo(Doing.NO_ROOM);

        isOver = true;
        bench.handler.hasRoom(true);
        bench.environment.advance(Duration.ofMillis(50));
        bench.turns();
        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L, 2L);
        assertThat(bench.unacked(epoch)).isZero();
    }

    @Test
    void whatIsToldToAShardIsReadThoughThereIsNoRoom() {
        bench.handler.onAll(envelope -> Outcome.Crowded.CROWDED);
        bench.post(epoch, "a");
        bench.turns();
        assertThat(bench.shard.heldKeys()).isEqualTo(1);
        bench.handler.hasRoom(false);

        epoch.end();
        bench.shard.epochsEnded();
        bench.turns();

        assertThat(bench.shard.heldKeys()).isZero();
    }

    @Test
    void aShardIsQuietAsLongAsNoKeyGoesOnByItself() {
        bench.handler.onKey(
                "locked", envelope -> Outcome.Waiting.on(isOver ? Doing.NO_ROOM : Doing.LOCKED));
        bench.handler.onKey("full", envelope -> Outcome.Waiting.on(Doing.NO_ROOM));
        bench.post(epoch, "full");
        bench.turns();
        assertThat(bench.shard.isQuiet()).isTrue();

        bench.post(epoch, "locked");
        bench.turns();
        assertThat(bench.shard.isQuiet()).isFalse();

        epoch.end();
        bench.shard.epochsEnded();
        bench.turns();
        assertThat(bench.shard.isQuiet()).isTrue();
    }
}
