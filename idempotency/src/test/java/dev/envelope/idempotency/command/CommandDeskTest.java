package dev.envelope.idempotency.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.command.CommandLog.Put;
import dev.envelope.idempotency.store.reply.ReplyStore.Answer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Commands that are put, answered, repeated and waited for. */
class CommandDeskTest extends CommandDesks {

    @Test
    void aCommandIsPutWhereItsKeyBelongsAndAnsweredByWhatItsSaveLeaves() {
        CompletableFuture<Outcome> future = send("a", "1", WAIT);
        assertThat(log.puts()).containsExactly("a/1 to " + partition("a"));
        answer(new Put.Written(17));
        assertThat(room.bytes()).isZero();
        assertThat(written).isEqualTo(1);

        pass(Duration.ofMillis(5));
        look();
        assertThat(future).isNotDone();

        Answer answer = save("a", "1", "yes");
        pass(Duration.ofMillis(5));
        look();

        assertThat(future).isCompletedWithValue(new Outcome.Settled(answer, false));
        assertThat(desk.turn()).isEqualTo(OwnThread.NOT_DUE);
    }

    @Test
    void aRepeatedCommandIsAnsweredAndNothingIsProduced() {
        Answer answer = save("a", "1", "yes");

        assertThat(send("a", "1", WAIT)).isCompletedWithValue(new Outcome.Settled(answer, true));
        assertThat(send("a", "1", Duration.ZERO))
                .isCompletedWithValue(new Outcome.Settled(answer, true));
        assertThat(log.puts()).isEmpty();
    }

    @Test
    void twoCallsOfOneCommandAreOneRecordAndGetOneAnswer() {
        CompletableFuture<Outcome> first = take("a", "1", WAIT);
        CompletableFuture<Outcome> second = take("a", "1", WAIT);
        look();
        CompletableFuture<Outcome> third = take("a", "1", WAIT);
        CompletableFuture<Outcome> soon = take("a", "1", Duration.ZERO);
        answer(new Put.Written(17));
        CompletableFuture<Outcome> fourth = take("a", "1", WAIT);
        CompletableFuture<Outcome> atOnce = take("a", "1", Duration.ZERO);
        assertThat(log.puts()).hasSize(1);
        assertThat(soon).isCompletedWithValue(new Outcome.Accepted(at("a", 17)));
        assertThat(atOnce).isCompletedWithValue(new Outcome.Accepted(at("a", 17)));

        Answer answer = save("a", "1", "yes");
        pass(Duration.ofMillis(5));
        look();

        assertThat(first).isCompletedWithValue(new Outcome.Settled(answer, false));
        for (CompletableFuture<Outcome> joined : List.of(second, third, fourth)) {
            assertThat(joined).isCompletedWithValue(new Outcome.Settled(answer, true));
        }
    }

    @Test
    void whoWaitsOnlyForTheLogIsToldWhereTheCommandIs() {
        CompletableFuture<Outcome> future = send("a", "1", Duration.ZERO);
        assertThat(future).isNotDone();
        answer(new Put.Written(17));

        assertThat(future).isCompletedWithValue(new Outcome.Accepted(at("a", 17)));
        assertThat(desk.turn()).isEqualTo(OwnThread.NOT_DUE);
    }

    @Test
    void whoWaitsForItLaterDoesNotPutItAgain() {
        send("a", "1", Duration.ZERO);
        answer(new Put.Written(17));

        CompletableFuture<Outcome> again = send("a", "1", WAIT);
        Answer answer = save("a", "1", "yes");
        pass(Duration.ofMillis(5));
        look();

        assertThat(again).isCompletedWithValue(new Outcome.Settled(answer, true));
        assertThat(log.puts()).hasSize(1);
    }

    @Test
    void aCallWhoseTimeIsOverIsToldWhereTheCommandIsAndARepeatedOneIsNotProducedAgain() {
        CompletableFuture<Outcome> first = send("a", "1", Duration.ofMillis(100));
        answer(new Put.Written(17));
        pass(Duration.ofMillis(100));
        assertThat(first).isCompletedWithValue(new Outcome.TimeOver(at("a", 17)));
        look(); // begun before
        assertThat(desk.turn()).isEqualTo(OwnThread.NOT_DUE);

        Answer answer = save("a", "1", "yes");
        CompletableFuture<Outcome> again = take("a", "1", WAIT);
        pass(Duration.ofMillis(100));
        look();

        assertThat(again).isCompletedWithValue(new Outcome.Settled(answer, true));
        assertThat(log.puts()).hasSize(1);
    }

    @Test
    void aCommandThatNobodyWaitsForIsForgottenAfterAWhile() {
        send("a", "1", Duration.ofMillis(100));
        answer(new Put.Written(17));
        pass(Duration.ofMillis(100));
        look();
        pass(Duration.ofNanos(CommandDesk.REMEMBERED));

        send("a", "1", WAIT);

        assertThat(log.puts()).hasSize(2);
    }

    @Test
    void thoseThatWaitAreLookedForTogetherAndOnlyEveryFewMilliseconds() {
        send("a", "1", WAIT);
        send("b", "2", WAIT);
        answer(new Put.Written(17));
        answer(new Put.Written(18));
        pass(Duration.ofMillis(5));
        int before = looks;
        look();
        assertThat(looks).isEqualTo(before + 1);
        assertThat(hands.hasLooks()).isFalse();
        assertThat(desk.turn()).isEqualTo(CommandDesk.PACE);

        pass(Duration.ofNanos(CommandDesk.PACE - 1));
        assertThat(hands.hasLooks()).isFalse();
        pass(Duration.ofNanos(1));
        hands.pass(Duration.ofMillis(40)); // the look takes long
        look();
        assertThat(desk.turn()).isEqualTo(Duration.ofMillis(40).toNanos());
    }

    @Test
    void anAnswerThatThisProcessHasSavedIsLookedForAtOnce() {
        CompletableFuture<Outcome> future = send("a", "1", WAIT);
        CompletableFuture<Outcome> other = send("b", "1", WAIT);
        answer(new Put.Written(17));
        answer(new Put.Written(18));
        pass(Duration.ofMillis(5));
        look(); // the next one is due in a while
        Answer answer = save("a", "1", "yes");
        save("b", "1", "saved by another process");

        told("a", "1");

        assertThat(future).isCompletedWithValue(new Outcome.Settled(answer, false));
        assertThat(other).isNotDone();
        pass(Duration.ofMillis(5));
        look();
        assertThat(other).isDone();
    }

    @Test
    void anAnswerThatIsSavedBeforeTheBrokersHaveAcknowledgedIsGivenAtOnce() {
        CompletableFuture<Outcome> future = send("a", "1", WAIT);
        Answer answer = save("a", "1", "yes");

        told("a", "1");

        assertThat(future).isCompletedWithValue(new Outcome.Settled(answer, false));
        answer(new Put.Written(17));
    }

    @Test
    void ofAnswersToCommandsOfOthersNothingIsLookedFor() {
        told("a", "1");

        assertThat(hands.hasLooks()).isFalse();
        assertThat(looks).isZero();
    }

    /** Callers would be without an answer for as long again as the outage that it hung in. */
    @Test
    void theNextLookBehindOneThatHungIsSoon() {
        send("a", "1", WAIT);
        answer(new Put.Written(17));
        pass(Duration.ofMillis(5));
        hands.pass(Duration.ofSeconds(10));
        look();

        assertThat(desk.turn()).isEqualTo(CommandDesk.FIRST_LOOK);
    }

    @Test
    void ofSeveralCallersThoseThatAreGoneAreForgottenAndTheOthersWait() {
        CompletableFuture<Outcome> stays = send("a", "1", WAIT);
        answer(new Put.Written(17));
        CompletableFuture<Outcome> gone = take("a", "1", Duration.ofMillis(50));
        assertThat(gone.cancel(false)).isTrue();
        pass(Duration.ofMillis(5));
        look();
        hands.pass(Duration.ofMillis(5));
        desk.turn();
        assertThat(desk.turn()).as("until the other's end").isGreaterThan(WAIT.toNanos() / 2);
        look();

        Answer answer = save("a", "1", "yes");
        pass(Duration.ofMillis(5));
        look();
        assertThat(stays).isCompletedWithValue(new Outcome.Settled(answer, false));
    }

    @Test
    void aCallerThatIsGoneIsNotLookedForAnyMore() {
        CompletableFuture<Outcome> future = send("a", "1", WAIT);
        answer(new Put.Written(17));
        assertThat(future.cancel(false)).isTrue();
        pass(Duration.ofMillis(5));
        look();
        int before = looks;

        pass(Duration.ofMillis(5));

        assertThat(hands.hasLooks()).isFalse();
        assertThat(looks).isEqualTo(before);
    }

    @Test
    void anAnswerThatComesBeforeThatOfTheBrokersIsTheAnswer() {
        CompletableFuture<Outcome> future = send("a", "1", WAIT);
        CompletableFuture<Outcome> other = send("b", "1", WAIT);
        answer(new Put.Written(17));
        Answer answer = save("a", "1", "yes");
        pass(Duration.ofMillis(5));
        look();
        assertThat(future).isCompletedWithValue(new Outcome.Settled(answer, false));
        assertThat(other).isNotDone();
        answer(new Put.Written(18));
    }
}
