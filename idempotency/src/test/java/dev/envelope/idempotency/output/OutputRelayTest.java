package dev.envelope.idempotency.output;

import static dev.envelope.idempotency.output.Relays.isSilent;
import static dev.envelope.idempotency.output.Relays.unknown;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.output.FakeOutputSender.Moment;
import dev.envelope.idempotency.output.Relays.Instance;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Outputs are sent once, at whatever point a process dies, hangs or loses a reply. */
class OutputRelayTest {

    private final Relays all = new Relays();
    private final Instance one = all.start("one");

    /** Another process goes on after this one was silent for too long. */
    private Instance another() {
        all.passSilence();
        Instance two = all.start("two");
        two.run();
        return two;
    }

    private void arrivedOnce(String... values) {
        assertThat(all.arrived()).containsExactly(values);
        assertThat(all.database.outputs()).isEmpty();
    }

    @AfterEach
    void nothingIsLeftOpen() {
        assertThat(all.kafka.undecided()).as("what holds back consumers").isZero();
    }

    @Test
    void whatIsSavedIsSentInItsOrderAndDeleted() {
        one.put("a", "1", "2");
        one.put("b", "3");
        one.run();
        one.put("a", "4");
        one.run();

        arrivedOnce("1", "2", "3", "4");
        assertThat(one.relay.status().sent()).isEqualTo(4);
        assertThat(one.relay.status().batches()).isEqualTo(2);
        assertThat(all.ids("out").get(0)).isEqualTo("shop/" + Relays.TOPIC + "/0/0@0/1");
    }

    @Test
    void whoDiesBeforeItsIdsAreRecordedLeavesNothingToFence() {
        Instance three = all.start("three", it -> it.sender.at(Moment.OPENED, it.sender::dies));
        three.put("a", "1");

        Instance two = another();

        arrivedOnce("1");
        assertThat(all.kafka.epochs("three-1")).isEqualTo(1);
        assertThat(two.relay.status().doubtful()).isZero();
    }

    @Test
    void whoDiesBetweenSendingAndOpeningHasItsRecordsAborted() {
        one.put("a", "1");
        one.run();
        one.put("a", "2");
        one.sender.at(Moment.SENT, one.sender::dies);
        one.run();
        assertThat(all.kafka.undecided()).isEqualTo(1);

        another();

        arrivedOnce("1", "2");
        assertThat(all.kafka.aborted()).isEqualTo(1);
    }

    @Test
    void whoLosesTheReplyToOpeningAbortsAndSendsTheRowsInTheNextBatch() {
        one.put("a", "1");
        one.after("open", isSilent());
        one.run();
        assertThat(all.arrived()).isEmpty();

        one.run();

        arrivedOnce("1");
        assertThat(all.kafka.aborted()).isEqualTo(1);
        assertThat(one.relay.status().doubtful()).isZero();
    }

    @Test
    void whoLosesTheReplyToOpeningAndDiesHasItSentByAnother() {
        one.put("a", "1");
        one.after("open", one.sender::dies);
        one.run();

        another();

        arrivedOnce("1");
    }

    @Test
    void whoDiesBeforeTheCommitIsTakenHasItSentByAnother() {
        one.put("a", "1");
        one.sender.at(Moment.COMMITTING, one.sender::dies);
        one.run();

        another();

        arrivedOnce("1");
        assertThat(all.kafka.aborted()).isEqualTo(1);
    }

    @Test
    void aCommitThatWasNeverTakenIsRepeatedUnderOtherIds() {
        one.put("a", "1");
        List<String> before = one.sender.ids();
        one.sender.at(Moment.COMMITTING, unknown());
        one.run(Duration.ofSeconds(1));

        arrivedOnce("1");
        assertThat(one.sender.ids()).doesNotContainAnyElementsOf(before);
        assertThat(one.relay.status().trouble()).isEmpty();
    }

    @Test
    void aCommitThatWasTakenIsNotRepeatedAfterItsReplyWasLost() {
        one.put("a", "1");
        one.sender.at(Moment.COMMITTED, unknown());
        one.run(Duration.ofSeconds(1));
        one.put("a", "2");
        one.run();

        arrivedOnce("1", "2");
    }

    @Test
    void whoDiesBeforeTheReplyToItsCommitHasItDeletedByAnother() {
        all.kafka.keepPrepared(true);
        one.put("a", "1");
        one.sender.at(Moment.COMMITTED, one.sender::dies);
        one.run();
        assertThat(all.arrived()).as("before the markers are written").isEmpty();
        all.kafka.keepPrepared(false);

        another();

        arrivedOnce("1");
    }

    @Test
    void whoDiesBetweenCommitAndDeletionHasItDeletedByAnother() {
        one.put("a", "1");
        one.before("close", one.sender::dies);
        one.run();
        assertThat(all.database.outputs()).hasSize(1);

        another();

        arrivedOnce("1");
    }

    @Test
    void whoDiesAfterOpeningTheNextBatchHasOnlyThatOneRepeated() {
        one.put("a", "1");
        one.before(
                "close",
                () -> {
                    one.put("a", "2");
                    isSilent().run();
                });
        one.run();
        one.sender.at(Moment.COMMITTING, one.sender::dies);
        one.run();
        assertThat(all.arrived()).containsExactly("1");
        assertThat(all.database.outputs()).as("the second").hasSize(1);

        another();

        arrivedOnce("1", "2");
    }

    @Test
    void whoResolvesAndDiesBeforeItHasTakenOverLeavesTheSameAnswerToTheNext() {
        one.put("a", "1");
        one.sender.at(Moment.COMMITTED, one.sender::dies);
        one.run();
        all.passSilence();
        all.start("three", it -> it.before("takeOver", it.sender::dies));
        assertThat(all.database.outputs()).hasSize(1);

        another();

        arrivedOnce("1");
    }

    @Test
    void ofTwoThatResolveOneTakesOver() {
        Instance three = all.start("three");
        one.put("a", "1");
        one.sender.at(Moment.COMMITTING, one.sender::dies);
        one.run();
        all.passSilence();
        three.sender.at(Moment.FENCED, this::another);
        three.run(Duration.ofSeconds(1));

        arrivedOnce("1");
        assertThat(three.relay.status().sent()).isZero();
    }

    @Test
    void whatIsSavedAfterItsRelayWasTakenOverIsSentByWhoServesIt() {
        one.put("a", "1");
        Instance two = another();
        one.put("a", "2");
        two.run();

        arrivedOnce("1", "2");
        assertThat(two.relay.status().sent()).isEqualTo(2);
    }

    @Test
    void whoWasTakenOverSendsNothingMoreAndRegistersAnew() {
        one.put("a", "1");
        Instance two = another();
        one.put("a", "2");
        List<String> before = one.sender.ids();
        one.before("alive", isSilent()); // so it finds out with its next batch
        one.run();
        one.run();
        assertThat(one.calls()).contains("open");
        assertThat(all.arrived()).containsExactly("1");
        two.run();
        one.run(Duration.ofSeconds(1));
        one.put("a", "3");
        one.run();

        arrivedOnce("1", "2", "3");
        assertThat(one.relay.status().sent()).as("the third").isEqualTo(1);
        assertThat(one.sender.ids()).doesNotContainAnyElementsOf(before);
    }

    @Test
    void whoIsFencedAndGoesOnBeforeItIsTakenOverKeepsItsRows() {
        one.put("a", "1");
        one.sender.at(Moment.COMMITTING, unknown());
        one.run(); // and hangs
        all.passSilence();
        one.put("a", "2");
        Instance two = all.start("two", it -> it.sender.at(Moment.FENCED, one::run));

        assertThat(one.relay.status().sent()).isEqualTo(2);
        two.run();
        arrivedOnce("1", "2");
    }

    @Test
    void whatIsOpenedBetweenFenceAndTakeoverIsNotTakenForCommitted() {
        one.put("a", "1");
        one.sender.at(Moment.COMMITTED, one.sender::dies);
        one.run();
        all.passSilence();
        Instance two = all.start("two", it -> it.before("takeOver", () -> one.opensNext("a", "2")));
        two.run();
        all.passSilence();
        two.run(Duration.ofSeconds(1));

        arrivedOnce("1", "2");
    }

    @Test
    void aRelayThatHasTakenOverOthersIsTakenOverWithThem() {
        one.put("a", "1");
        one.sender.at(Moment.SENT, one.sender::dies);
        one.run();
        all.passSilence();
        Instance two = all.start("two", it -> it.sender.at(Moment.SENT, it.sender::dies));
        one.put("a", "2"); // it was only slow
        assertThat(all.arrived()).isEmpty();
        all.passSilence();
        Instance three = all.start("three");
        three.run();
        one.put("b", "3");
        two.put("c", "4");
        three.run(Duration.ofSeconds(2)); // late rows are found with the next look

        arrivedOnce("1", "2", "3", "4");
    }
}
