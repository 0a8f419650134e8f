package dev.envelope.idempotency.output;

import static dev.envelope.idempotency.output.Relays.isSilent;
import static dev.envelope.idempotency.output.Relays.to;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.output.FakeOutputSender.Moment;
import dev.envelope.idempotency.output.OutputRoom.Limits;
import dev.envelope.idempotency.output.Relays.Instance;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Outputs that can't be sent yet: what waits with them, what goes on, and what is said. */
class OutputsWaitTest {

    private static final Duration ROUND = Duration.ofSeconds(11);

    private final Relays all = new Relays();
    private final Instance one = all.start("one");

    private void refuse(String... values) {
        List<String> refused = List.of(values);
        all.kafka.refuse(record -> refused.contains(FakeTransactions.value(record)));
    }

    @Test
    void anOutputThatIsTooLargeHoldsBackThoseBehindItOfItsLaneAlone() {
        refuse("large");
        one.putAll(
                List.of("a", "b", "c"),
                List.of(to("out", "1"), to("out", "large"), to("out", "2")));
        one.put("b", "behind");
        one.save("b", List.of(to("other", "3")));
        one.run();

        assertThat(all.arrived()).containsExactly("1", "2");
        assertThat(all.kafka.values("other")).containsExactly("3");
        assertThat(one.relay.status().refused()).isEqualTo(1);
        assertThat(one.relay.status().trouble()).isEqualTo("topic out refuses outputs: too large");
        one.put("b", "later");
        one.put("a", "4");
        one.run();

        assertThat(all.arrived()).containsExactly("1", "2", "4");
        refuse();
        one.run(ROUND);

        assertThat(all.arrived()).containsExactly("1", "2", "4", "large", "behind", "later");
        assertThat(all.database.outputs()).isEmpty();
        one.run(ROUND);
        assertThat(one.relay.status().trouble()).isEmpty();
    }

    @Test
    void whatIsBehindARefusedOutputInItsRowWaitsWithItAndWhatIsBeforeItGoes() {
        refuse("large");
        one.put("a", "1", "large", "2");
        one.run();

        assertThat(all.arrived()).containsExactly("1");
        refuse();
        one.run(ROUND);
        assertThat(all.arrived()).containsExactly("1", "large", "2");
    }

    @Test
    void aRefusedOutputOfADeadRelayHoldsBackItsLaneForAll() {
        refuse("large");
        one.put("a", "large");
        one.run();
        all.passSilence();
        Instance two = all.start("two");
        Instance three = all.start("three");
        three.put("a", "1");
        three.put("b", "2");
        three.run();
        two.run();
        assertThat(all.arrived()).containsExactly("2");

        refuse();
        for (int second = 0; second < 2 * ROUND.toSeconds(); second++) {
            two.run(Duration.ofSeconds(1));
            three.run();
        }

        assertThat(all.arrived()).containsExactly("2", "large", "1");
    }

    @Test
    void aRowThatIsRefusedOftenIsTriedLessOften() {
        refuse("large");
        one.put("a", "large");
        one.run();
        one.calls();

        one.run(Duration.ofMinutes(2));
        long first = one.calls().stream().filter("refusedAgain"::equals).count();
        one.run(Duration.ofMinutes(20));
        long later = one.calls().stream().filter("refusedAgain"::equals).count();

        assertThat(first).isBetween(3L, 6L);
        assertThat(later).isBetween(4L, 8L);
    }

    @Test
    void ofManyThatAreRefusedForOneReasonOneIsTriedInARound() {
        all.kafka.delete("gone");
        for (int i = 0; i < 300; i++) {
            one.save("key " + i, List.of(to("gone", "v")));
        }
        one.put("a", "1");
        one.run();
        assertThat(all.arrived()).containsExactly("1");
        one.calls();
        one.run(ROUND);
        assertThat(one.calls()).filteredOn("refusedAgain"::equals).hasSize(1);

        all.kafka.create("gone");
        one.run(Duration.ofMinutes(1));

        assertThat(all.kafka.values("gone")).hasSize(300);
        assertThat(all.database.outputs()).isEmpty();
    }

    @Test
    void aRefusedRowOfWhichOnlySomeAreTakenAgainIsTakenApart() {
        refuse("x", "y");
        one.putAll(List.of("a", "b"), List.of(to("out", "x"), to("out", "y")));
        one.run();
        refuse("y");
        one.run(Duration.ofMinutes(2));

        assertThat(all.arrived()).containsExactly("x");
        assertThat(all.database.outputs()).hasSize(1);
    }

    @Test
    void whatAnotherRelayHasNotSentYetGoesFirst() {
        Instance two = all.start("two");
        one.put("a", "1");
        two.put("a", "2");
        two.put("b", "3");
        two.run();
        assertThat(all.arrived()).containsExactly("3");

        one.run();
        two.run();

        assertThat(all.arrived()).containsExactly("3", "1", "2");
    }

    @Test
    void theOutputsOfAKeyAreInOrderOverTheDeathOfTheProcessThatHadIt() {
        Instance two = all.start("two");
        one.put("a", "1");
        one.sender.at(Moment.COMMITTED, one.sender::dies);
        one.run();
        one.put("a", "2"); // saved, and never sent by its process
        two.put("a", "3");
        two.put("b", "4");
        two.run();
        assertThat(all.arrived()).containsExactly("1", "4");
        two.run(Duration.ofSeconds(12));

        assertThat(all.arrived()).containsExactly("1", "4", "2", "3");
        assertThat(all.database.outputs()).isEmpty();
    }

    @Test
    void aRowOfWhichOnlySomeWaitIsTakenApartAfterAWhile() {
        Instance two = all.start("two");
        one.put("a", "1");
        two.putAll(List.of("a", "b"), List.of(to("out", "2"), to("out", "3")));
        two.put("b", "4");
        two.run();
        assertThat(all.arrived()).isEmpty();

        two.run(Duration.ofMillis(300));
        assertThat(all.arrived()).containsExactly("3", "4");
        one.run();
        two.run();
        assertThat(all.arrived()).containsExactly("3", "4", "1", "2");
    }

    @Test
    void manyThatWaitHideNobodyElse() {
        Instance two = all.start("two");
        one.put("a", "0");
        for (int i = 1; i <= 3_000; i++) { // more than are read at once
            two.put("a", "waits");
        }
        two.put("b", "1");
        two.run();
        assertThat(all.arrived()).containsExactly("1");

        one.run();
        two.calls();
        two.run();

        assertThat(all.arrived()).hasSize(3_002);
        assertThat(two.calls()).filteredOn("open"::equals).as("batches").hasSizeLessThan(5);
    }

    @Test
    void anOutageIsTriedLessAndLessOftenAndLosesAndRepeatsNothing() {
        one.sender.isAway(true);
        one.put("a", "1");
        one.run();
        assertThat(one.relay.status().trouble()).contains("no broker answers");
        one.calls();
        one.run(Duration.ofMinutes(1));
        assertThat(one.calls()).filteredOn("open"::equals).hasSizeLessThan(15);

        one.sender.isAway(false);
        one.run(ROUND);

        assertThat(all.arrived()).containsExactly("1");
        assertThat(one.relay.status().trouble()).isEmpty();
    }

    @Test
    void whoCantReachKafkaTakesNobodyOver() {
        Instance two = all.start("two");
        one.put("a", "1");
        one.sender.at(Moment.SENT, one.sender::dies);
        one.run();
        two.sender.isAway(true);
        two.run(Duration.ofSeconds(30));
        assertThat(two.calls()).doesNotContain("takeOver");

        two.sender.isAway(false);
        two.run(ROUND);
        assertThat(all.arrived()).containsExactly("1");
    }

    @Test
    void anOutageOfTheDatabaseLosesAndRepeatsNothing() {
        for (String call : List.of("next", "before", "open", "close", "alive", "depth", "gone")) {
            one.put("a", "before " + call);
            one.before(call, isSilent());
            one.run(Duration.ofSeconds(2));
            one.put("a", "after " + call);
            one.after(call, isSilent());
            one.run(Duration.ofSeconds(2));
        }

        assertThat(all.arrived()).hasSize(14).doesNotHaveDuplicates();
        assertThat(all.database.outputs()).isEmpty();
    }

    @Test
    void whenTooManyWaitTheRoomIsFullUntilAQuarterIsFree() {
        Instance two = all.start("two", new Limits(8, 1 << 20));
        two.sender.isAway(true);
        for (int i = 0; i < 8; i++) {
            two.put("a", "v");
        }
        two.run(Duration.ofSeconds(2));
        assertThat(two.room.isOpen()).isFalse();
        assertThat(two.relay.status().isFull()).isTrue();
        assertThat(two.relay.status().inWords()).isEqualTo("8 outputs wait, the first for 2 s");

        two.sender.isAway(false);
        two.run(ROUND);
        assertThat(two.room.isOpen()).isTrue();
        assertThat(two.relay.status().isFull()).isFalse();
    }

    /** It stood still in the middle of the count, for example, and others have sent meanwhile. */
    @Test
    void aCountThatTookMinutesDoesNotKeepTheRoomClosedForAnHour() {
        Instance one = all.start("one");
        one.put("a", "1", "2", "3", "4", "5", "6", "7", "8");
        Instance two = all.start("two", new Limits(8, 1 << 20));
        two.after(
                "depth",
                () -> {
                    all.pass(Duration.ofMinutes(5));
                    one.run();
                });
        two.run(Duration.ofSeconds(2));
        assertThat(all.database.outputs()).isEmpty();
        assertThat(two.room.isOpen()).isFalse();

        two.run(Duration.ofMinutes(1));
        assertThat(two.room.isOpen()).isTrue();
    }

    @Test
    void drainSendsAllThatCanBeSentAndSaysWhetherThatWasAll() {
        refuse("large");
        IntStream.range(0, 5_000).forEach(i -> one.put("a", "v"));
        one.put("b", "large");

        assertThat(one.relay.drain(Duration.ofSeconds(2))).isTrue();
        assertThat(all.arrived()).hasSize(5_000);
        assertThat(all.database.outputs()).as("the refused one").hasSize(1);

        one.sender.isAway(true);
        one.put("a", "later");
        assertThat(one.relay.drain(Duration.ofSeconds(2))).isFalse();
    }

    @Test
    void whoLeavesIsTakenOverAtOnce() {
        Instance two = all.start("two");
        one.put("a", "1");
        one.turn();
        one.put("a", "2");
        one.relay.leave();
        two.run(Duration.ofSeconds(1));

        assertThat(all.arrived()).containsExactly("1", "2");
        assertThat(all.database.outputs()).isEmpty();
    }

    @Test
    void atLeastOnceNeedsNoBatchAndSendsNothingAgainOnlyBecauseItCouldNotBeDeleted() {
        Instance two = all.start("two", it -> it.sender.isPlain(true));
        two.put("a", "1", "2");
        two.before("sent", isSilent());
        two.run(Duration.ofSeconds(1));
        two.put("a", "3");
        two.run();

        assertThat(all.arrived()).containsExactly("1", "2", "3");
        assertThat(all.database.outputs()).isEmpty();
        assertThat(two.calls()).contains("sent").doesNotContain("open", "close");
    }

    @Test
    void atLeastOnceToWhoWasTakenOverFindsOutWithinASecond() {
        Instance two = all.start("two", it -> it.sender.isPlain(true));
        two.put("a", "1");
        all.passSilence();
        one.run();
        two.put("a", "2");
        one.run();
        two.run(Duration.ofSeconds(2));
        two.put("a", "3");
        two.run();

        assertThat(all.arrived()).containsExactly("1", "2", "3");
        assertThat(two.relay.status().sent()).isEqualTo(1);
    }
}
