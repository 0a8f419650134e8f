package dev.envelope.idempotency;

import static dev.envelope.idempotency.HandlerBench.isFailed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Messages, rows and servers that fail. */
final class HandlerFailuresTest {

    private final HandlerBench bench = new HandlerBench();

    // --- messages that fail

    @Test
    void whatCameBeforeAFailedMessageIsSavedFromTheSavedBytesWithoutItsTraces() {
        bench.handle(bench.envelope("a", 0, "x"));

        isFailed(bench.handle(bench.envelope("a", 1, "y", "z", "boom", "w")), 2, true);

        assertThat(bench.state("a")).as("no HALF").isEqualTo("xyz");
        assertThat(bench.row("a").marks().nextOffset(1)).isEqualTo(3);

        bench.booms.clear();
        assertThat(bench.handle(bench.envelope("a", 3, "boom", "w")))
                .isInstanceOf(Outcome.Saved.class);
        assertThat(bench.state("a")).isEqualTo("xyzboomw");
    }

    @Test
    void aStateThatWasChangedHalfwayIsNotCachedEither() {
        bench.handle(bench.envelope("a", 0, "x"));
        isFailed(bench.handle(bench.envelope("a", 1, "boom")), 0, true);
        bench.booms.clear();
        bench.handle(bench.envelope("a", 1, "y"));

        assertThat(bench.state("a")).isEqualTo("xy");
    }

    @Test
    void anInterruptThatUserCodeLeavesBehindIsAFailedAttemptAndDoesNotBreakTheSave() {
        HandTurn turn =
                bench.handle(
                        new HandTurn(
                                bench.envelope("a", 0, "x", "interrupt"),
                                bench.envelope("b", 2, "y")));

        isFailed(turn.outcome(0), 1, true);
        assertThat(turn.outcome(1)).isInstanceOf(Outcome.Saved.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void othersOfTheTurnAreSavedWhenOneFails() {
        HandTurn turn =
                bench.handle(
                        new HandTurn(
                                bench.envelope("a", 0, "boom"), bench.envelope("b", 1, "x", "y")));

        isFailed(turn.outcome(0), 0, true);
        assertThat(turn.outcome(1)).isInstanceOf(Outcome.Saved.class);
        assertThat(bench.state("b")).isEqualTo("xy");
        assertThat(bench.database.rows()).doesNotContainKey("a");
    }

    @Test
    void anUndecodableMessageFailsAndNoOtherAttemptIsWorthwhile() {
        Outcome outcome = bench.handle(bench.envelope("a", 0, "x", "?", "y"));

        isFailed(outcome, 1, false);
        assertThat(bench.state("a")).isEqualTo("x");
        assertThat(bench.row("a").marks().nextOffset(1)).isEqualTo(1);
        assertThat(bench.database.parked()).isEmpty();
    }

    @Test
    void messagesWithoutARowAreParkedWithTheirReason() {
        Message nullKey = Records.withoutRow(bench.epoch, 0, "null-key: the record has no key");
        Message badKey = Records.withoutRow(bench.epoch, 1, "key-format: not UTF-8");

        assertThat(bench.handle(Envelope.of(nullKey.key(), List.of(nullKey, badKey))))
                .isInstanceOf(Outcome.Saved.class);

        assertThat(bench.database.parked())
                .extracting(it -> it.reason() + "|" + it.error())
                .containsExactly("null-key|the record has no key", "key-format|not UTF-8");
        assertThat(bench.database.rows()).isEmpty();

        bench.handle(Envelope.of(nullKey.key(), List.of(nullKey, badKey)));
        assertThat(bench.database.parked()).as("read again").hasSize(2);
    }

    private static Message withoutRow(PartitionEpoch epoch, long offset) {
        return Records.withoutRow(epoch, offset, "null-key: the record has no key");
    }

    @Test
    void messagesWithoutARowThatStandBelowTheCheckpointAreNotParkedAgain() {
        PartitionEpoch epoch = Records.epochAgain(2, 1, bench.life, new NextOffset(2, 0));
        Message one = withoutRow(epoch, 0);

        assertThat(bench.handle(Envelope.of(one.key(), List.of(one, withoutRow(epoch, 1)))))
                .isInstanceOf(Outcome.Saved.class);
        assertThat(bench.database.parked()).isEmpty();
        assertThat(bench.store.saves()).as("nothing to save").allMatch(Set::isEmpty);
        assertThat(bench.counts.duplicates).isEqualTo(2);

        Message last = withoutRow(epoch, 1);
        assertThat(bench.handle(Envelope.of(one.key(), List.of(last, withoutRow(epoch, 2)))))
                .isInstanceOf(Outcome.Saved.class);
        assertThat(bench.database.parked())
                .extracting(it -> it.message().offset())
                .containsExactly(2L);
        assertThat(bench.counts.duplicates).isEqualTo(3);
        assertThat(bench.counts.parked).containsExactly("null-key");
    }

    @Test
    void whatWasWrittenAnewBehindACutIsParkedThoughItStandsBelowTheCheckpoint() {
        PartitionEpoch epoch = Records.epochAgain(2, 1, bench.life, new NextOffset(2, 4));
        Message rewritten =
                Message.withoutRow(
                        epoch,
                        0,
                        "null-key: no",
                        Records.record(epoch.partition(), 0, 5, null, "v"));

        bench.handle(Envelope.of(rewritten.key(), List.of(rewritten)));

        assertThat(bench.database.parked()).hasSize(1);
    }

    @Test
    void anOutageOfWhatDecodesSaysNothingAboutTheMessageAndTheOthersAreSaved() {
        HandTurn turn =
                bench.handle(
                        new HandTurn(
                                bench.envelope("a", 0, "x", "#"), bench.envelope("b", 2, "y")));

        assertThat(turn.outcome(0))
                .isInstanceOfSatisfying(
                        Outcome.Waiting.class,
                        it -> {
                            assertThat(it.done().size())
                                    .as("what comes before it is saved")
                                    .isEqualTo(1);
                            assertThat(it.why()).isEqualTo(Doing.DECODER_OUT);
                        });
        assertThat(bench.state("a")).isEqualTo("x");
        assertThat(turn.outcome(1)).isInstanceOf(Outcome.Saved.class);
        assertThat(bench.state("b")).isEqualTo("y");
    }

    @Test
    void aBugInAFormatIsAFailedAttemptOfTheMessageAndNotTheEnd() {
        HandTurn turn =
                bench.handle(
                        new HandTurn(
                                bench.envelope("a", 0, "x", "!"), bench.envelope("b", 2, "y")));

        isFailed(turn.outcome(0), 1, true);
        assertThat(bench.state("a")).isEqualTo("x");
        assertThat(turn.outcome(1)).isInstanceOf(Outcome.Saved.class);
    }

    @Test
    void aBugInACodecIsTheFaultOfTheMessageThatLedToIt() {
        Outcome outcome = bench.handle(bench.envelope("a", 0, "x", "unencodable", "y"));

        assertThat(outcome).isEqualTo(new Outcome.Deferred(Dispositions.applied(1)));
        isFailed(bench.handle(bench.envelope("a", 1, "unencodable", "y")), 0, false);
        assertThat(bench.state("a")).isEqualTo("x");
    }

    @Test
    void aStateOverTheLimitIsTheFaultOfTheMessageThatMadeItSo() {
        String large = "l".repeat(150);
        List<String> values = new ArrayList<>(List.of("x", "y", large, "z", large, "w"));
        long offset = 0;
        Outcome last = null;
        for (int i = 0; i < 10; i++) {
            last = bench.handle(bench.envelope("a", offset, values.toArray(new String[0])));
            int done =
                    last instanceof Outcome.Deferred it
                            ? it.done().size()
                            : last instanceof Outcome.Failed it ? it.done().size() : values.size();
            values.subList(0, done).clear();
            offset += done;
        }

        assertThat(bench.state("a")).isEqualTo("xy" + large + "z");
        isFailed(last, 0, false);
        assertThat(offset).isEqualTo(4);
    }

    // --- the row's own fault

    @Test
    void aRowAtFaultIsSplitDownToItsMessageAndTheOthersAreSaved() {
        bench.store.faultIn(
                change ->
                        change.state() != null
                                && new String(change.state(), StandardCharsets.UTF_8)
                                        .contains("F"));
        List<Envelope> all = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            all.add(
                    i == 5
                            ? bench.envelope("bad", 50, "x", "y", "F", "z")
                            : bench.envelope("k" + i, i, "x"));
        }
        HandTurn turn = bench.handle(new HandTurn(all.toArray(new Envelope[0])));

        for (int i = 0; i < 9; i++) {
            if (i != 5) {
                assertThat(turn.outcome(i)).isInstanceOf(Outcome.Saved.class);
            }
        }
        assertThat(turn.outcome(5)).isEqualTo(new Outcome.Deferred(Dispositions.applied(2)));
        assertThat(bench.state("bad")).isEqualTo("xy");

        isFailed(bench.handle(bench.envelope("bad", 52, "F", "z")), 0, false);
        assertThat(bench.state("bad")).isEqualTo("xy");
    }

    // --- locks

    // --- states of other versions

    @Test
    void aStateThatAnotherVersionOfTheHandlerHasWrittenKeepsItsKeyWaitingAndChargesNobody() {
        bench.elsewhere("a", 0, "other:x");
        HandTurn turn =
                bench.handle(
                        new HandTurn(bench.envelope("a", 1, "y"), bench.envelope("b", 2, "y")));

        assertThat(turn.outcome(0))
                .isInstanceOfSatisfying(
                        Outcome.Waiting.class,
                        it -> {
                            assertThat(it.done().size()).isZero();
                            assertThat(it.why()).isEqualTo(Doing.OTHER_VERSION);
                            assertThat(it.cause()).hasMessageContaining("another version");
                        });
        assertThat(turn.outcome(1)).isInstanceOf(Outcome.Saved.class);
        assertThat(bench.row("a").version()).isEqualTo(1);
        assertThat(bench.database.parked()).isEmpty();
    }

    @Test
    void whatIsKnownOfSuchAKeyIsADuplicateAllTheSame() {
        bench.elsewhere("a", 0, "other:x");

        assertThat(bench.handle(bench.envelope("a", 0, "other:x")))
                .isInstanceOf(Outcome.Saved.class);
    }

    @Test
    void aStateThatNoVersionCanReadIsShownForAPersonToSetOrDelete() {
        bench.elsewhere("a", 0, "damaged");

        assertThat(bench.handle(bench.envelope("a", 1, "y")))
                .isInstanceOfSatisfying(
                        Outcome.Waiting.class,
                        it -> {
                            assertThat(it.why()).isEqualTo(Doing.DAMAGED);
                            assertThat(it.cause()).hasMessageContaining("begin with");
                        });
    }

    // --- outages

    @Test
    void aLoadThatFailsSettlesTheWholeTurnAsUnavailable() {
        bench.store.failLoads(new UnavailableException("away"));
        HandTurn turn =
                bench.handle(
                        new HandTurn(bench.envelope("a", 0, "x"), bench.envelope("b", 1, "x")));

        assertThat(turn.outcome(0)).isInstanceOf(Outcome.Unavailable.class);
        assertThat(turn.outcome(1)).isInstanceOf(Outcome.Unavailable.class);

        bench.store.failLoads(null);
        assertThat(bench.handle(bench.envelope("a", 0, "x"))).isInstanceOf(Outcome.Saved.class);
    }

    @Test
    void aSaveWhoseReplyWasLostIsNeitherSuccessNorFailureAndTheCacheForgets() {
        bench.handle(bench.envelope("a", 0, "x"));
        bench.store.loads().clear();
        bench.store.loseNextReply(new UnavailableException("connection reset"));

        assertThat(bench.handle(bench.envelope("a", 1, "y")))
                .isInstanceOf(Outcome.Unavailable.class);
        assertThat(bench.handle(bench.envelope("a", 1, "y", "z")))
                .isInstanceOf(Outcome.Saved.class);

        assertThat(bench.store.loads()).containsExactly(Set.of("a"));
        assertThat(bench.state("a")).isEqualTo("xyz");
    }
}
