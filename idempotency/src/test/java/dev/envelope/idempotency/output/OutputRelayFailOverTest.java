package dev.envelope.idempotency.output;

import static dev.envelope.idempotency.output.Relays.unknown;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.output.FakeOutputSender.Moment;
import dev.envelope.idempotency.output.Relays.Instance;
import dev.envelope.idempotency.store.InMemoryDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Outputs are sent once when the database is restarted or goes back, and when Kafka has lost
 * something.
 */
class OutputRelayFailOverTest {

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
    void aRestartOfTheDatabaseRepeatsNothingAndNothingWaitsForIt() {
        one.put("a", "1");
        one.sender.at(Moment.COMMITTED, all.database::restart);
        one.run();
        all.pass(Duration.ofMillis(1));
        one.run();
        one.put("a", "2");
        one.run();

        arrivedOnce("1", "2");
        assertThat(one.relay.status().doubtful()).isZero();
    }

    @Test
    void whoIsTakenOverWhileItTakesOverWhatItWasBeforeARestartRegistersAnew() {
        Instance one = all.start("one");
        Instance two = all.start("two");
        one.put("a", "1");
        all.database.restart();
        all.pass(Duration.ofSeconds(1)); // so that it looks for others in the same pass
        one.after(
                "takeOver",
                () -> {
                    all.passSilence(); // it stands still
                    two.run();
                });

        one.run();
        one.put("a", "2");
        one.run();

        arrivedOnce("1", "2");
    }

    @Test
    void whatIsSavedInAnotherLifeBeforeItsProcessHasNoticedIsSent() {
        one.put("a", "1");
        all.database.restart();
        one.put("a", "2"); // under no number

        one.run(Duration.ofSeconds(1));

        arrivedOnce("1", "2");
    }

    @Test
    void aFailOverThatHasLostABatchLosesNoOutputAndCountsTheDoubt() {
        one.put("a", "1");
        one.run();
        one.put("a", "2");
        InMemoryDatabase.Backup before = all.database.backup();
        one.run();
        one.put("a", "3");
        one.sender.at(Moment.COMMITTING, () -> all.database.restore(before));
        one.run();
        all.pass(Duration.ofMillis(1));
        one.run(Duration.ofSeconds(1));

        assertThat(all.arrived()).as("the save of 3 is lost").containsExactly("1", "2", "3", "2");
        assertThat(all.ids("out").stream().distinct()).hasSize(3);
        assertThat(all.database.outputs()).isEmpty();
        assertThat(one.relay.status().doubtful()).isEqualTo(1);
    }

    @Test
    void aFailOverThatHasLostTheRowsOfABatchDeletesNoOthersInTheirPlaces() {
        InMemoryDatabase.Backup before = all.database.backup();
        one.put("a", "lost");
        one.before("close", () -> all.database.restore(before));
        one.run();
        one.put("a", "at its place");
        one.run(Duration.ofSeconds(1));

        arrivedOnce("lost", "at its place");
    }

    @Test
    void aFailOverThatHasLostARelayLeavesItsNumberToAnother() {
        InMemoryDatabase.Backup before = all.database.backup();
        Instance two = all.start("two");
        two.put("a", "lost");
        two.run();
        all.database.restore(before);
        Instance three = all.start("three");
        three.put("b", "1");
        all.pass(Duration.ofMillis(1));
        two.run(Duration.ofSeconds(1));
        two.put("a", "2");
        two.run();
        three.run();

        arrivedOnce("lost", "2", "1");
        assertThat(three.outputs.numberIn(all.database.incarnation())).isEqualTo(2);
        assertThat(three.relay.status().sent()).as("nobody took it over").isEqualTo(1);
    }

    @Test
    void whatIsInDoubtInKafkaWhenTheDatabaseFailsOverIsNotCommittedLater() {
        InMemoryDatabase.Backup before = all.database.backup();
        Instance two = all.start("two");
        two.put("a", "1");
        List<String> ids = two.sender.ids();
        two.sender.at(Moment.COMMITTING, unknown());
        two.run();
        all.database.restore(before); // the relay is lost, and with it the rows
        two.run(Duration.ofSeconds(2));

        assertThat(all.kafka.undecided()).isZero();
        assertThat(all.kafka.epochs(ids.get(1))).isGreaterThan(1);
    }

    @Test
    void aNumberThatKafkaHasLostIsADoubtAndTheBatchIsSentAgain() {
        one.put("a", "1");
        one.sender.at(Moment.COMMITTED, one.sender::dies);
        one.run();
        all.kafka.loseNumbers();

        Instance two = another();

        assertThat(all.arrived()).containsExactly("1", "1");
        assertThat(all.ids("out").stream().distinct()).hasSize(1);
        assertThat(two.relay.status().doubtful()).isEqualTo(1);
    }

    @Test
    void idsThatKafkaNoLongerTakesAreReplaced() {
        all.kafka.fence(one.sender.ids()); // as if they had expired
        one.put("a", "1");
        one.run(Duration.ofSeconds(1));

        arrivedOnce("1");
    }

    @Test
    void aTransactionThatTookTooLongIsRepeated() {
        one.put("a", "1");
        one.sender.at(Moment.COMMITTING, all.kafka::timeOut);
        one.run(Duration.ofSeconds(1));

        arrivedOnce("1");
    }
}
