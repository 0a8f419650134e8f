package dev.envelope.core.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.OverRateException;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What a shard makes of keys that can't go on: failed attempts, a store that is away, locked rows.
 */
final class HeldBackKeysTest {

    private final Bench bench = new Bench(Bench.LIMITS);
    private final PartitionEpoch epoch = Records.epoch(1);

    // --- attempts

    @Test
    void aFailingKeyWaitsWhileOthersFlowAndItsMessagesStayInOrder() {
        bench.handler.onKey("a", it -> Bench.failed(0));
        bench.post(epoch, "a", "b");
        bench.turns();
        bench.post(epoch, "a", "b", "a", "b");
        bench.turns();

        assertThat(bench.handler.savedOffsets("b")).containsExactly(1L, 3L, 5L);
        assertThat(bench.handler.turns().get(1)).extracting(Envelope::key).containsExactly("b");
        assertThat(bench.unacked(epoch)).isEqualTo(3);

        bench.handler.onKeyNoMore("a");
        bench.advance(99);
        assertThat(bench.turns()).isZero();
        bench.advance(1);
        bench.turns();

        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L, 2L, 4L);
        assertThat(bench.unacked(epoch)).isZero();
        assertThat(bench.shard.heldKeys()).isZero();
    }

    @Test
    void aMessageKeepsItsAttemptsWhenAnotherPartitionOfItsKeyIsGone() {
        PartitionEpoch other = Records.epoch(2);
        bench.handler.onKey("a", it -> Bench.failed(0));
        bench.shard.post(List.of(bench.message(epoch, "a"), bench.message(other, "a")));
        bench.turns();
        bench.advance(100);
        bench.turns();

        other.end();
        bench.shard.epochsEnded();
        bench.turns();
        assertThat(bench.handler.turns()).as("it still waits").hasSize(2);
        bench.advance(200);
        bench.turns();

        assertThat(bench.noticesOf(AckInbox.Failed.class))
                .extracting(AckInbox.Failed::attempts)
                .containsExactly(3);
    }

    @Test
    void whatWasSavedBeforeTheFailedMessageIsAckedAndTheRestIsTriedAgainLater() {
        bench.handler.onKey("a", it -> Bench.failed(2));
        bench.post(epoch, "a", "a", "a", "a");
        bench.turns();

        assertThat(bench.unacked(epoch)).isEqualTo(2);

        bench.handler.onKeyNoMore("a");
        bench.advance(100);
        bench.turns();

        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void theLastAttemptIsToldToThePollThreadAndTheKeyStopsWithAllThatComesAfter() {
        bench.handler.onKey("a", it -> Bench.failed(0));
        bench.post(epoch, "a");
        for (int i = 0; i < 20; i++) {
            bench.turns();
            bench.post(epoch, "a", "b");
            bench.advance(500);
        }
        bench.turns();

        var told = bench.noticesOf(AckInbox.Failed.class);
        assertThat(told).hasSize(1);
        assertThat(told.get(0).attempts()).isEqualTo(3);
        assertThat(told.get(0).message().offset()).isZero();
        assertThat(bench.handler.savedOffsets("a")).isEmpty();
        assertThat(bench.handler.savedOffsets("b")).hasSize(20);
        assertThat(bench.shard.isQuiet()).isTrue();
    }

    @Test
    void attemptsAreCountedForOneMessageNotForItsKey() {
        int[] calls = {0};
        bench.handler.onKey("a", it -> ++calls[0] % 3 == 0 ? Outcome.applied(it) : Bench.failed(0));
        for (int i = 0; i < 5; i++) {
            bench.post(epoch, "a");
            for (int wait = 0; wait < 5; wait++) {
                bench.turns();
                bench.advance(1000);
            }
        }

        assertThat(bench.noticesOf(AckInbox.Failed.class)).isEmpty();
        assertThat(bench.handler.savedOffsets("a")).hasSize(5);
    }

    @Test
    void anEnvelopeSaysWhetherItsFirstMessageHasFailedBefore() {
        int[] calls = {0};
        bench.handler.onKey("a", it -> ++calls[0] == 1 ? Bench.failed(0) : Outcome.applied(it));
        bench.post(epoch, "a");
        for (int i = 0; i < 3; i++) {
            bench.turns();
            bench.advance(1000);
        }
        bench.post(epoch, "a");
        bench.turns();

        assertThat(bench.handler.turns())
                .extracting(turn -> turn.get(0).waited())
                .containsExactly(null, Doing.RETRYING, null);
    }

    @Test
    void aFailureThatNoAttemptCouldChangeStopsAtOnce() {
        bench.handler.onKey(
                "a", it -> new Outcome.Failed(Dispositions.applied(0), new Error("no"), false));
        bench.post(epoch, "a");
        bench.turns();

        assertThat(bench.noticesOf(AckInbox.Failed.class)).hasSize(1);
    }

    // --- the store

    @Test
    void whileTheStoreCannotServeTheWholeShardWaitsAndNothingIsLostOrReordered() {
        bench.handler.onAll(it -> Bench.unavailable());
        bench.post(epoch, "a", "b", "a");
        bench.turns();
        int tried = bench.handler.turns().size();
        assertThat(tried).as("no hot loop").isEqualTo(1);
        bench.post(epoch, "b", "c", "a");
        assertThat(bench.turns()).as("not drained while it backs off").isLessThanOrEqualTo(1);
        assertThat(bench.handler.turns()).hasSize(tried);

        for (int i = 0; i < 100; i++) {
            bench.advance(100);
            bench.turns();
        }
        assertThat(bench.handler.turns()).hasSizeBetween(4, 20);

        bench.handler.onAll(it -> Outcome.applied(it));
        bench.advance(5000);
        bench.turns();

        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L, 2L, 5L);
        assertThat(bench.handler.savedOffsets("b")).containsExactly(1L, 3L);
        assertThat(bench.handler.savedOffsets("c")).containsExactly(4L);
        assertThat(bench.unacked(epoch)).isZero();
        assertThat(bench.noticesOf(AckInbox.Failed.class)).as("I11").isEmpty();
    }

    @Test
    void theBackOffOfAnOutageThatIsOverDoesNotLengthenThatOfTheNext() {
        bench.handler.onAll(it -> Bench.unavailable());
        bench.post(epoch, "a");
        for (int i = 0; i < 100; i++) {
            bench.turns();
            bench.advance(100);
        }
        bench.handler.onAll(it -> Outcome.applied(it));
        bench.advance(5000);
        bench.turns(); // only a key that was held is saved
        bench.handler.onAll(it -> Bench.unavailable());
        bench.post(epoch, "a");
        bench.turns();
        bench.handler.onAll(it -> Outcome.applied(it));
        bench.advance(50);
        bench.turns();

        assertThat(bench.unacked(epoch)).isZero();
    }

    @Test
    void anOtherLifeIsToldOnceForEachEpochThatStillCounts() {
        PartitionEpoch over = Records.epoch(2);
        bench.handler.onNextTurn(
                turn -> {
                    over.end();
                    turn.settle(0, Outcome.Superseded.SUPERSEDED);
                });
        bench.shard.post(List.of(bench.message(epoch, "a"), bench.message(over, "a")));
        bench.turns();

        assertThat(bench.noticesOf(AckInbox.OtherLife.class))
                .extracting(AckInbox.OtherLife::epoch)
                .containsExactly(epoch);
    }

    // --- locked rows

    @Test
    void aLockedRowWaitsByItselfAndIsTriedAgainAsOne() {
        bench.handler.onKey("a", it -> Outcome.Waiting.on(Doing.LOCKED));
        bench.post(epoch, "a", "b");
        bench.turns();
        bench.post(epoch, "b");
        bench.turns();

        assertThat(bench.handler.savedOffsets("b")).containsExactly(1L, 2L);
        assertThat(bench.shard.isQuiet()).isFalse();

        bench.advance(20);
        bench.turns();
        Envelope again = bench.handler.turns().get(2).get(0);
        assertThat(again.key()).isEqualTo("a");
        assertThat(again.waited()).isEqualTo(Doing.LOCKED);

        bench.handler.onKeyNoMore("a");
        bench.advance(1000);
        bench.turns();
        bench.post(epoch, "a");
        bench.turns();

        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L, 3L);
        var last = bench.handler.turns().get(bench.handler.turns().size() - 1).get(0);
        assertThat(last.waited()).as("once it has succeeded").isNull();
    }

    @Test
    void aKeyWhoseCallsAreOverTheirRateWaitsAsLongAsItWasToldAndOthersFlow() {
        OverRateException over = new OverRateException("10 a second", Duration.ofMillis(700));
        bench.handler.onKey(
                "a",
                it -> new Outcome.Waiting(Dispositions.applied(1), Doing.CALLS_OVER_RATE, over));
        bench.post(epoch, "a", "b", "a");
        bench.turns();

        assertThat(bench.handler.savedOffsets("b")).containsExactly(1L);
        assertThat(bench.unacked(epoch)).isEqualTo(1);
        assertThat(bench.shard.standing("a").orElseThrow().doing())
                .isEqualTo(Doing.CALLS_OVER_RATE);
        assertThat(bench.shard.standing("a").orElseThrow().failedAttempts()).isZero();
        bench.handler.onKeyNoMore("a");
        bench.advance(699);
        assertThat(bench.turns()).isZero();
        bench.advance(1);
        bench.turns();

        assertThat(bench.unacked(epoch)).isZero();
    }

    @Test
    void aRowThatStaysLockedHasWaitedSinceItWasFirstFoundSo() {
        bench.handler.onKey("a", it -> Outcome.Waiting.on(Doing.LOCKED));
        bench.post(epoch, "a");
        bench.turns();
        long first = bench.shard.standing("a").orElseThrow().sinceNanos();

        for (int i = 0; i < 5; i++) {
            bench.advance(2_000);
            bench.turns();
        }

        assertThat(bench.handler.turns()).hasSizeGreaterThan(3);
        assertThat(bench.shard.standing("a").orElseThrow().doing()).isEqualTo(Doing.LOCKED);
        assertThat(bench.shard.standing("a").orElseThrow().sinceNanos()).isEqualTo(first);
    }

    @Test
    void aKeyWhoseSaveWasHandedOverWaitsForItWithoutAWorkerWhileOthersFlow() {
        List<Consumer<@Nullable Object>> handedOver = new ArrayList<>();
        bench.handler.onNextTurn(
                turn -> {
                    handedOver.add(turn.handOver(0));
                    turn.settle(1, Outcome.applied(turn.envelopes().get(1)));
                });
        bench.post(epoch, "a", "b");
        bench.turns();
        bench.post(epoch, "a", "c");
        bench.advance(60_000);
        bench.turns();

        assertThat(bench.handler.savedOffsets("c")).containsExactly(3L);
        assertThat(bench.unacked(epoch)).as("both of a").isEqualTo(2);
        assertThat(bench.shard.isQuiet()).isFalse();
        assertThat(bench.shard.standing("a").orElseThrow().doing()).isEqualTo(Doing.LOCKED);

        handedOver.get(0).accept("what was brought");
        bench.handler.onKey(
                "a", it -> it.carried() == null ? Outcome.Deferred.NOT_BEGUN : Outcome.applied(it));
        bench.turn();
        bench.handler.onKeyNoMore("a");
        bench.turns();
        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L, 2L);
        assertThat(bench.shard.isQuiet()).isTrue();
    }

    @Test
    void whatWasHandedOverInVainComesAgainAsItIs() {
        List<Consumer<@Nullable Object>> handedOver = new ArrayList<>();
        bench.handler.onNextTurn(turn -> handedOver.add(turn.handOver(0)));
        bench.post(epoch, "a");
        bench.turns();

        handedOver.get(0).accept(null);
        bench.turns();
        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L);
    }
}
