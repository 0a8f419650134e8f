package dev.envelope.app.ops.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.SampleStatus;
import dev.envelope.core.api.Doing;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.status.Holdup;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.idempotency.output.OutputStatus;
import dev.envelope.idempotency.slot.SlotLocks.Holder;
import dev.envelope.idempotency.slot.SlotLocks.Seen;
import dev.envelope.idempotency.store.output.OutputStore.Waiting;
import dev.envelope.idempotency.store.parked.FrozenKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class StuckDocumentTest {

    private static final Optional<String> PACE = Optional.of("the database sets the pace");
    private static final PartitionStatus PARTITION =
            SampleStatus.partition(1, 50_000, 10, PartitionStatus.ENOUGH, false);

    private static StuckDocument stuck(
            Optional<String> pace, Doing doing, Duration forSoLong, String trouble) {
        Holdup holdup =
                new Holdup(
                        PARTITION,
                        ApiBench.name(110, "account-7"),
                        new Standing(doing, 0, 5, 0, trouble),
                        forSoLong);
        return StuckDocument.of(
                SampleStatus.of(PARTITION).status(), List.of(holdup), List.of(), pace);
    }

    @Test
    void whereItIsKnownWhatSetsThePaceItIsNoFindingThatMuchWaits() {
        for (StuckDocument behind :
                List.of(
                        stuck(PACE, Doing.QUEUED, Duration.ofMinutes(1), ""),
                        stuck(PACE, Doing.FOLDING, Duration.ofMillis(20), ""))) {
            assertThat(behind.stuck()).isFalse();
            assertThat(behind.findings())
                    .asString()
                    .contains("nothing is stuck")
                    .contains("the database sets the pace");
        }
        assertThat(stuck(Optional.empty(), Doing.QUEUED, Duration.ofMinutes(1), "").stuck())
                .isTrue();
    }

    @Test
    void whatRepeatsBesideTheEngineAndFailsIsAFinding() {
        ProcessStatus status =
                SampleStatus.of().failingLoop("relay", "IllegalStateException: a bug").status();

        assertThat(StuckDocument.of(status, List.of(), List.of(), Optional.empty()).findings())
                .containsExactly(
                        "relay: the last turn failed, and is tried again: IllegalStateException: a"
                                + " bug");
    }

    /** Nothing else says so: their partitions are on nobody's page. */
    @Test
    void slotsThatNobodyHoldsAreAFinding() {
        Seen some = new Seen(3, List.of(new Holder(1, "web-1", true)), List.of(), "", "");
        Seen all = new Seen(1, List.of(new Holder(0, "web-1", true)), List.of(), "", "");

        assertThat(findings(SampleStatus.of().slots(some).status()))
                .containsExactly(
                        "2 of 3 slots are held by nobody, the first is 0: what is theirs is not"
                                + " read; start more processes, or raise slots.per.process");
        assertThat(findings(SampleStatus.of().slots(all).status()))
                .asString()
                .contains("nothing is stuck");
    }

    @Test
    void aProcessThatCanHoldNoSlotIsNotReady() {
        ProcessStatus status =
                SampleStatus.of()
                        .slots(new Seen(3, List.of(), List.of(), "the connection is broken", ""))
                        .status();

        assertThat(status.notReadyBecause())
                .containsExactly("it can't hold slots: the connection is broken");
        assertThat(findings(status)).hasSize(1);
    }

    private static List<String> findings(ProcessStatus status) {
        return StuckDocument.of(status, List.of(), List.of(), Optional.empty()).findings();
    }

    @Test
    void outputsThatCanNotBeSentAreAFindingBeforeKeysHaveToWait() {
        assertThat(findings(outputs(1, "", false))).asString().contains("nothing is stuck");
        assertThat(findings(outputs(1, "topic orders refuses outputs: too large", false)))
                .containsExactly(
                        "outputs can't be sent: topic orders refuses outputs: too large (7 outputs"
                                + " wait, the first for 1 s). See: envelope outputs");
        assertThat(findings(outputs(61, "", false)))
                .containsExactly(
                        "outputs can't be sent: the process that has saved them says why (7 outputs"
                                + " wait, the first for 61 s). See: envelope outputs");
    }

    @Test
    void keysThatWaitForRoomForOutputsSayWhatIsFull() {
        assertThat(findings(outputs(1, "no broker answers", true)))
                .containsExactly(
                        "outputs can't be sent: no broker answers (7 outputs wait, the first for 1"
                                + " s); keys whose handler may emit wait, as outbox.max.rows or"
                                + " outbox.max.bytes is reached. See: envelope outputs");
    }

    private static OutputStatus outputs(long oldestSeconds, String trouble, boolean isFull) {
        Waiting waiting = new Waiting(7, 900, Duration.ofSeconds(oldestSeconds));
        return new OutputStatus(waiting, 3, 2, 1, 0, trouble, isFull);
    }

    private static List<String> findings(OutputStatus outputs) {
        ProcessStatus status = SampleStatus.of().outputs(outputs).status();
        return StuckDocument.of(status, List.of(), List.of(), Optional.empty()).findings();
    }

    @Test
    void keysThatAreFrozenComeFirst() {
        FrozenKeys.First first =
                new FrozenKeys.First(
                        "account-7",
                        42,
                        "failed",
                        "IllegalStateException: no",
                        Duration.ofHours(3));
        FrozenKeys one = new FrozenKeys(new TopicPartition("payments", 0), 100, 8_000, first);
        FrozenKeys other = new FrozenKeys(new TopicPartition("payments", 1), 37, 238, first);
        SampleStatus sample = SampleStatus.of().failingLoop("relay", "a bug");

        assertThat(stuck(sample.frozen(Long.MAX_VALUE, one, other).status()))
                .startsWith(
                        "137 keys are frozen: 8,238 messages wait for you; first: key"
                                + " \"account-7\", payments-0@42, for 3 h: failed,"
                                + " IllegalStateException: no (envelope parked list)")
                .hasSize(2);
        assertThat(sample.status().notReadyBecause()).isEmpty();
        assertThat(sample.frozen(137, one, other).status().notReadyBecause()).isEmpty();
        assertThat(sample.frozen(136, one, other).status().notReadyBecause())
                .containsExactly("more keys are frozen than ready.max.frozen.keys=136");
    }

    @Test
    void whatMakesAllOfItSlowIsAFindingThoughNoLagIsKnown() {
        PartitionStatus done = SampleStatus.partition(0, 0, 0, "", false);
        assertThat(stuck(SampleStatus.of(done).strain("throttled").status()))
                .containsExactly("throttled");
    }

    @Test
    void whatTheLogOrTheReadinessAloneWouldTellIsAFinding() {
        assertThat(stuck(SampleStatus.of().notCommitted("nothing committed").status()))
                .containsExactly("nothing committed");
        assertThat(stuck(SampleStatus.of().missingTopic("orders").status()))
                .containsExactly("topic orders does not exist (any more): nothing of it is read");
        assertThat(stuck(SampleStatus.of().stuck(1).status()))
                .singleElement()
                .asString()
                .startsWith("1 handler ignores the interrupt of handler.timeout");
        assertThat(stuck(SampleStatus.of().stuck(2).stuckForGood(1).status()))
                .singleElement()
                .asString()
                .startsWith("2 handlers are stuck");
    }

    @Test
    void aLockComesBeforeWhatItHasCaused() {
        ProcessStatus away = SampleStatus.of().isStoreThere(false).status();
        assertThat(
                        StuckDocument.of(
                                        away,
                                        List.of(),
                                        List.of("somebody locks"),
                                        Optional.empty())
                                .findings())
                .containsExactly(
                        "somebody locks", "the database does not answer, or takes no rows");
    }

    private static List<String> stuck(ProcessStatus status) {
        return StuckDocument.of(status, List.of(), List.of(), Optional.empty()).findings();
    }

    @Test
    void whatIsInTroubleOrDoesNotMoveIsAFindingAllTheSame() {
        assertThat(stuck(PACE, Doing.RETRYING, Duration.ofMillis(20), "no such account").stuck())
                .isTrue();
        assertThat(stuck(PACE, Doing.FOLDING, Duration.ofSeconds(6), "").stuck()).isTrue();
    }

    private static Holdup waiting(int partition, String trouble) {
        return new Holdup(
                SampleStatus.partition(partition, 100, 10, "", false),
                ApiBench.name(110, "account"),
                new Standing(Doing.OTHER_VERSION, 0, 5, 0, trouble),
                Duration.ofMinutes(1));
    }

    @Test
    void whatIsHeldUpByTheSameInSeveralPartitionsIsToldOnce() {
        List<Holdup> holdups =
                new ArrayList<>(
                        IntStream.range(0, 7).mapToObj(i -> waiting(i, "the field x")).toList());
        holdups.add(waiting(7, "the field y"));

        List<String> said =
                StuckDocument.of(SampleStatus.of().status(), holdups, List.of(), Optional.empty())
                        .findings();

        assertThat(said).hasSize(2);
        assertThat(said.get(0))
                .contains("the field x", "The same in 7 partitions in all: also in ")
                .contains("-1, ", "-6")
                .doesNotContain("-7");
        assertThat(said.get(1)).contains("the field y").doesNotContain("The same");
    }

    @Test
    void moreThanAFewPartitionsAreCounted() {
        List<Holdup> holdups =
                IntStream.range(0, 30).mapToObj(i -> waiting(i, "the field x")).toList();

        assertThat(
                        StuckDocument.of(
                                        SampleStatus.of().status(),
                                        holdups,
                                        List.of(),
                                        Optional.empty())
                                .findings())
                .singleElement()
                .asString()
                .contains("The same in 30 partitions", "-10 and 19 more");
    }

    @Test
    void messagesThatCanHaveNoRowFreezeNoKey() {
        FrozenKeys.First first =
                new FrozenKeys.First(
                        null, 0, "null-key", "the record has no key", Duration.ofMinutes(3));
        FrozenKeys frozen = new FrozenKeys(new TopicPartition("payments", 0), 0, 20, first);

        assertThat(stuck(SampleStatus.of().frozen(Long.MAX_VALUE, frozen).status()))
                .singleElement()
                .asString()
                .startsWith(
                        "20 messages wait for you, none of them with a key that can have a row;"
                                + " first: without a row, payments-0@0");
    }
}
