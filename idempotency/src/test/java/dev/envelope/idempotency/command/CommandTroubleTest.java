package dev.envelope.idempotency.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.command.CommandLog.Put;
import dev.envelope.idempotency.store.reply.Reply.Result;
import dev.envelope.idempotency.store.reply.ReplyStore;
import dev.envelope.idempotency.store.reply.ReplyStore.Answer;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Commands where the database, the brokers or the process do not do what they should. */
class CommandTroubleTest extends CommandDesks {

    @Test
    void withoutADatabaseNothingIsProducedAndThoseThatWaitGoOnWaiting() {
        CompletableFuture<Outcome> waiting = send("a", "1", WAIT);
        answer(new Put.Written(17));
        isDatabaseAway = true;

        assertThat(send("b", "2", WAIT).getNow(NONE))
                .isEqualTo(
                        new Outcome.Busy(
                                Outcome.Reason.DATABASE, "UnavailableException: no database"));
        assertThat(log.puts()).hasSize(1);

        pass(Duration.ofNanos(CommandDesk.PACE_IN_TROUBLE - 1));
        assertThat(hands.hasLooks()).isFalse();
        Answer answer = save("a", "1", "yes");
        isDatabaseAway = false;
        pass(Duration.ofNanos(1));
        look();
        assertThat(waiting).isCompletedWithValue(new Outcome.Settled(answer, false));
    }

    @Test
    void behindADatabaseThatHangsNobodyWaitsForLong() {
        CompletableFuture<Outcome> first = take("a", "1", WAIT);
        pass(Duration.ofNanos(CommandDesk.FIRST_LOOK / 2));
        CompletableFuture<Outcome> second = take("b", "2", WAIT);
        pass(Duration.ofNanos(1));
        CompletableFuture<Outcome> third = take("c", "3", WAIT);
        assertThat(third)
                .isCompletedWithValue(
                        new Outcome.Busy(Outcome.Reason.DATABASE, "the database does not answer"));
        assertThat(first).isNotDone();

        pass(Duration.ofNanos(CommandDesk.FIRST_LOOK / 2));
        assertThat(first)
                .isCompletedWithValue(
                        new Outcome.Busy(Outcome.Reason.DATABASE, "the database does not answer"));
        assertThat(second).isNotDone();
        pass(Duration.ofNanos(CommandDesk.FIRST_LOOK / 2));
        assertThat(second)
                .isCompletedWithValue(
                        new Outcome.Busy(Outcome.Reason.DATABASE, "the database does not answer"));

        look(); // comes back at last
        assertThat(log.puts()).isEmpty();
        assertThat(hands.hasLooks()).isFalse();
    }

    @Test
    void whatTheLogCanNotTakeIsTurnedAwayAtOnce() {
        log.trouble("no brokers");

        assertThat(send("a", "1", WAIT))
                .isCompletedWithValue(new Outcome.Busy(Outcome.Reason.BROKERS, "no brokers"));
        assertThat(log.puts()).isEmpty();

        Answer answer = save("b", "2", "yes");
        assertThat(send("b", "2", WAIT)).isCompletedWithValue(new Outcome.Settled(answer, true));
    }

    /** Each would block the desk for some milliseconds. */
    @Test
    void behindACommandThatFindsNoRoomTheOthersOfItsLookAreTurnedAwayUntried() {
        take("x", "0", WAIT); // what comes during a look is in the next one
        log.full(true);
        CompletableFuture<Outcome> first = take("a", "1", WAIT);
        CompletableFuture<Outcome> second = take("b", "2", WAIT);
        CompletableFuture<Outcome> third = take("c", "3", WAIT);
        hands.runLook();
        desk.turn();
        assertThat(log.puts()).hasSize(1);
        look();

        assertThat(log.puts()).as("x and the first").hasSize(2);
        for (CompletableFuture<Outcome> each : List.of(first, second, third)) {
            assertThat(each.getNow(NONE)).isInstanceOf(Outcome.Busy.class);
        }
        log.full(false);
        send("d", "4", WAIT);
        assertThat(log.puts()).hasSize(3);
    }

    @Test
    void answersAreFoundAlsoWithoutTheTopicAndOtherCommandsAreTurnedAway() {
        Answer answer = save("a", "1", "yes");
        CompletableFuture<Outcome> waits = send("w", "1", WAIT);
        answer(new Put.Written(17));
        brokers.remove("orders");
        topics.look();

        assertThat(send("a", "1", WAIT)).isCompletedWithValue(new Outcome.Settled(answer, true));
        assertThat(send("b", "2", WAIT).getNow(NONE)).isInstanceOf(Outcome.Busy.class);
        Answer late = save("w", "1", "yes");
        pass(Duration.ofMillis(5));
        look();
        assertThat(waits).isCompletedWithValue(new Outcome.Settled(late, false));
    }

    @Test
    void aPartitionThatAcknowledgesNothingGetsNoMore() {
        CompletableFuture<Outcome> first = send("a", "1", WAIT);
        pass(Duration.ofNanos(CommandDesk.STALLED));
        send("a", "2", WAIT);
        pass(Duration.ofNanos(1));
        CompletableFuture<Outcome> third = send("a", "3", WAIT);
        String other = partition("b") != partition("a") ? "b" : "c";
        send(other, "4", WAIT);
        assertThat(third.getNow(NONE)).isInstanceOf(Outcome.Busy.class);
        assertThat(log.puts()).hasSize(3).last().isEqualTo(other + "/4 to " + partition(other));

        answer(new Put.Written(17));
        send("a", "5", WAIT);
        assertThat(log.puts()).hasSize(4);
        assertThat(first).isNotDone();
    }

    @Test
    void aCallIsToldWhatBecameOfItsRecord() {
        CompletableFuture<Outcome> not = send("a", "1", WAIT);
        answer(new Put.NotWritten("no leader"));
        CompletableFuture<Outcome> refused = send("a", "2", WAIT);
        answer(new Put.Refused("too large"));
        CompletableFuture<Outcome> unknown = send("a", "3", WAIT);
        answer(new Put.Unknown("no reply"));

        assertThat(not).isCompletedWithValue(new Outcome.Busy(Outcome.Reason.BROKERS, "no leader"));
        assertThat(refused).isCompletedWithValue(new Outcome.Refused("too large"));
        assertThat(unknown)
                .isCompletedWithValue(new Outcome.Unknown(Outcome.Reason.BROKERS, "no reply"));
        send("a", "3", WAIT);
        assertThat(log.puts()).hasSize(4);
    }

    @Test
    void aCallWhoseTimeIsOverBeforeTheBrokersAnswerDoesNotKnow() {
        CompletableFuture<Outcome> future = send("a", "1", Duration.ofMillis(100));
        pass(Duration.ofMillis(100));

        assertThat(future.getNow(NONE)).isInstanceOf(Outcome.Unknown.class);
        assertThat(room.bytes()).as("the producer still has it").isPositive();
        answer(new Put.Written(17));
    }

    @Test
    void whereTooManyBytesOfAnswersWereFoundANewCommandIsLookedForOnceMore() {
        CompletableFuture<Outcome> waiting = send("a", "1", WAIT);
        answer(new Put.Written(17));
        look();
        replies.save(
                new CommandId("a", "1"),
                new Answer(
                        Result.APPLIED,
                        null,
                        new byte[(int) ReplyStore.MOST_BYTES],
                        false,
                        1,
                        "orders",
                        0,
                        17,
                        Instant.EPOCH));
        hands.pass(Duration.ofMillis(5));
        take("b", "2", WAIT);
        hands.runLook();
        assertThat(waiting).isDone();
        assertThat(log.puts()).as("its answer may have been left out").hasSize(1);

        desk.turn();
        look();
        assertThat(log.puts()).hasSize(2);
    }

    @Test
    void aDeskThatClosesGivesEachCallerAnOutcome() {
        CompletableFuture<Outcome> inLog = send("a", "1", WAIT);
        answer(new Put.Written(17));
        CompletableFuture<Outcome> put = send("b", "2", WAIT);
        CompletableFuture<Outcome> fresh = take("c", "3", WAIT);

        desk.close();

        assertThat(inLog).isCompletedWithValue(new Outcome.TimeOver(at("a", 17)));
        assertThat(put)
                .isCompletedWithValue(
                        new Outcome.Unknown(Outcome.Reason.ENDING, "the process is ending"));
        assertThat(fresh)
                .isCompletedWithValue(
                        new Outcome.Busy(Outcome.Reason.ENDING, "the process is ending"));
        answer(new Put.Written(18));
    }
}
