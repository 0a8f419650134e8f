package dev.envelope.core.mailbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Folds that outlast their turns: their keys wait for them, the others go on. */
final class LeftBehindFoldTest {

    private final Bench bench = new Bench(Bench.LIMITS);
    private final PartitionEpoch epoch = Records.epoch(1);

    private static Outcome.Failed failed(int saved) {
        return new Outcome.Failed(
                Dispositions.applied(saved), new IllegalStateException("no"), true);
    }

    private static List<Long> offsetsOf(Envelope envelope) {
        return envelope.messages().stream().map(it -> it.offset()).toList();
    }

    /** A fold that outlasts its turn: the watchdog takes the turn away. */
    private void outlast(Turn turn, int envelope) {
        turn.enter(envelope);
        bench.advance(300);
        bench.pool.watch();
    }

    private void end(PartitionEpoch over) {
        over.end();
        bench.shard.epochsEnded();
    }

    @Test
    void theWatchdogLeavesASlowFoldBehindAndTheOtherEnvelopesGoOn() {
        List<Object> carried = new ArrayList<>();
        bench.post(epoch, "a", "b", "c");
        bench.handler.onNextTurn(
                turn -> {
                    int slow = placeOf(turn.envelopes(), "b");
                    turn.enter(slow);
                    bench.advance(150);
                    bench.pool.watch();
                    assertThat(bench.pool.foldsLeftBehind()).as("not yet").isZero();
                    bench.advance(100);
                    bench.pool.watch();
                    assertThat(bench.pool.foldsLeftBehind()).isEqualTo(1);
                    bench.turns(); // another worker
                    assertThat(bench.handler.savedOffsets("a")).containsExactly(0L);
                    assertThat(bench.handler.savedOffsets("c")).containsExactly(2L);
                    bench.post(epoch, "b", "a");
                    bench.turns();
                    assertThat(bench.handler.savedOffsets("b")).as("I3").isEmpty();
                    assertThat(bench.handler.savedOffsets("a")).containsExactly(0L, 4L);
                    assertThat(bench.shard.isQuiet()).as("something is still to come").isFalse();
                    assertThat(turn.leave(slow, "brought")).isFalse();
                });
        bench.turn();
        bench.handler.onNextTurn(
                turn -> {
                    carried.add(String.valueOf(turn.envelopes().get(0).carried()));
                    carried.add(offsetsOf(turn.envelopes().get(0)));
                    bench.handler.settleAll(turn);
                });
        bench.turns();

        assertThat(carried).containsExactly("brought", List.of(1L));
        assertThat(bench.handler.savedOffsets("b")).containsExactly(1L, 3L);
        assertThat(bench.unacked(epoch)).isZero();
        assertThat(bench.shard.heldKeys()).isZero();
    }

    private static int placeOf(List<Envelope> envelopes, String key) {
        for (int place = 0; place < envelopes.size(); place++) {
            if (envelopes.get(place).key().equals(key)) {
                return place;
            }
        }
        throw new AssertionError("no envelope of " + key);
    }

    @Test
    void whatWasSettledBeforeTheTurnWasTakenIsAcked() {
        bench.post(epoch, "a", "b");
        bench.handler.onNextTurn(
                turn -> {
                    bench.handler.settle(turn, 0, Outcome.applied(turn.envelopes().get(0)));
                    outlast(turn, 1);
                    bench.readAcks();
                    assertThat(bench.unacked(epoch)).isEqualTo(1);
                    assertThatThrownBy(
                                    () -> turn.settle(1, Outcome.applied(turn.envelopes().get(1))))
                            .isInstanceOf(InvariantViolation.class);
                    turn.leave(1, null);
                });
        bench.turns();

        assertThat(bench.unacked(epoch)).isZero();
    }

    @Test
    void aLateResultOfAnEpochThatIsOverIsDropped() {
        bench.post(epoch, "a", "a");
        PartitionEpoch next = Records.epoch(11, 1, Records.LIFE);
        List<Object> carried = new ArrayList<>();
        bench.handler.onNextTurn(
                turn -> {
                    outlast(turn, 0);
                    end(epoch);
                    bench.turns();
                    assertThat(bench.shard.heldKeys()).isZero();
                    turn.leave(0, "of the former epoch");
                });
        bench.turn();
        bench.handler.onNextTurn(
                turn -> {
                    turn.envelopes().forEach(it -> carried.add(String.valueOf(it.carried())));
                    bench.handler.settleAll(turn);
                });
        bench.post(next, "a", "a");
        bench.turns();

        assertThat(carried).containsExactly("null");
        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L, 1L);
        assertThat(bench.handler.saved("a")).allMatch(it -> it.epoch() == next);
    }

    @Test
    void aKeyIsNotFoldedTwiceAtATimeWhenOnlyOneOfItsPartitionsIsGone() {
        PartitionEpoch other = Records.epoch(2);
        bench.shard.post(List.of(bench.message(epoch, "a"), bench.message(other, "a")));
        bench.handler.onNextTurn(
                turn -> {
                    outlast(turn, 0);
                    end(other);
                    bench.post(epoch, "a");
                    bench.turns();
                    assertThat(bench.handler.turns()).as("I3").hasSize(1);
                    turn.leave(0, "with a message of the epoch that is over");
                });
        bench.turns();

        assertThat(bench.handler.turns().get(1).get(0).carried()).isNull();
        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L, 1L);
        assertThat(bench.handler.saved("a")).allMatch(it -> it.epoch() == epoch);
    }

    @Test
    void norWhenItsPartitionIsGoneASecondTimeBeforeTheFoldIsBack() {
        PartitionEpoch other = Records.epoch(2);
        PartitionEpoch again = Records.epoch(3);
        bench.shard.post(List.of(bench.message(epoch, "a"), bench.message(other, "a")));
        bench.handler.onNextTurn(
                turn -> {
                    outlast(turn, 0);
                    end(other);
                    bench.turns();
                    bench.shard.post(List.of(bench.message(again, "a")));
                    bench.turns();
                    end(again);
                    bench.turns();
                    assertThat(bench.handler.turns()).as("I3").hasSize(1);
                    turn.leave(0, "with messages of epochs that are over");
                });
        bench.turns();

        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L);
    }

    @Test
    void aLateResultOfAnEpochThatIsOverDoesNotShortenTheWaitOfTheKeysOtherMessages() {
        PartitionEpoch other = Records.epoch(2);
        bench.post(epoch, "a");
        bench.handler.onKey("a", it -> failed(0));
        bench.handler.onNextTurn(
                turn -> {
                    outlast(turn, 0);
                    bench.post(other, "a");
                    bench.turns(); // which adds it to the key that is being folded
                    end(epoch);
                    bench.turns(); // in which the message of the other epoch fails
                    turn.leave(0, "of the former epoch");
                });
        bench.turns();

        assertThat(bench.handler.turns()).hasSize(2);

        bench.handler.onKeyNoMore("a");
        bench.advance(100);
        bench.turns();

        assertThat(bench.handler.turns()).hasSize(3);
        assertThat(bench.handler.saved("a")).extracting(Message::epoch).containsExactly(other);
    }

    @Test
    void aHandlerThatReturnsFromInsideAFoldIsAFault() {
        bench.post(epoch, "a");
        bench.handler.onNextTurn(turn -> turn.enter(0));

        assertThatThrownBy(() -> bench.turn()).isInstanceOf(InvariantViolation.class);
    }
}
