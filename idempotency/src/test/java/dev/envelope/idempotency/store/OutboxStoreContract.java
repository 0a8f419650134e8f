package dev.envelope.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.OutboxStore.Batch;
import dev.envelope.idempotency.store.OutboxStore.Depth;
import dev.envelope.idempotency.store.OutboxStore.Waiting;
import dev.envelope.idempotency.store.output.Origin;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.OutboxRecord;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every outbox owes the workers that write to it and the relay that empties it. */
public abstract class OutboxStoreContract {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long MUCH = 1L << 20;
    private static final Uuid TOPIC = new Uuid(7, 11);

    private StoreFixture fixture;
    private OutboxStore outbox;
    private Incarnation now;
    private int source;

    /** A store without a row. */
    protected abstract StoreFixture open();

    @BeforeEach
    void openStore() {
        fixture = open();
        outbox = fixture.outbox("one");
        NewSource log = new NewSource(new TopicPartition("orders", 0), TOPIC, new NextOffset(0, 0));
        source = fixture.checkpoints().introduce(List.of(log)).sources().get(0).number();
        now = fixture.checkpoints().incarnation();
    }

    @AfterEach
    void closeStore() {
        fixture.close();
    }

    private OutboxRecord record(long offset, @Nullable String rowKey) {
        return record(offset, rowKey, ("value " + offset).getBytes(StandardCharsets.UTF_8));
    }

    private OutboxRecord record(long offset, @Nullable String rowKey, byte @Nullable [] value) {
        Message origin = Messages.parked(source, offset, rowKey).message();
        byte[] key = rowKey == null ? null : rowKey.getBytes(StandardCharsets.UTF_8);
        return new OutboxRecord(origin, 0, "dead", key, value, origin.headers(), "failed");
    }

    private Change puttingOut(String key, long fromVersion, long... offsets) {
        return new Change(
                key,
                fromVersion,
                "{}".getBytes(StandardCharsets.UTF_8),
                Marks.NONE,
                null,
                0,
                new Change.Beside(
                        List.of(),
                        Arrays.stream(offsets).mapToObj(offset -> record(offset, key)).toList(),
                        HandlerEffects.NONE));
    }

    private Change withoutRow(OutboxRecord... records) {
        return Change.ofMessagesWithoutRow(Message.NO_ROW, List.of(), List.of(records), List.of());
    }

    private boolean[] save(Patience patience, Change... changes) {
        return fixture.states().save(List.of(changes), patience, now);
    }

    private List<Long> waitingOffsets() {
        return outbox.first(1_000, MUCH).records().stream()
                .map(waiting -> waiting.origin().offset())
                .toList();
    }

    @ParameterizedTest
    @EnumSource(Patience.class)
    void recordsAreWrittenOnlyWithAChangeThatIsSaved(Patience patience) {
        save(Patience.WAIT, puttingOut("a", 0), puttingOut("b", 0));
        save(Patience.WAIT, puttingOut("b", 1));

        boolean[] saved =
                save(
                        patience,
                        puttingOut("a", 1, 20, 21),
                        puttingOut("b", 1, 22),
                        puttingOut("c", 0, 23),
                        withoutRow(record(24, null)));

        assertThat(saved).containsExactly(true, false, true, true);
        assertThat(waitingOffsets()).containsExactlyInAnyOrder(20L, 21L, 23L, 24L);
    }

    /** Its partition is read again, since another place went back, and it was sent before. */
    @Test
    void aMessageWithoutARowThatTheCheckpointHasPassedIsNotPutOutAgain() {
        fixture.checkpoints().save(Map.of(source, new NextOffset(6, 5)), now);

        save(Patience.WAIT, withoutRow(record(5, null), record(6, null)), puttingOut("a", 0, 4));

        assertThat(waitingOffsets()).containsExactlyInAnyOrder(4L, 6L);
    }

    @Test
    void behindACutTheOtherMessageOfThatOffsetIsPutOutToo() {
        Message other = Messages.parked(source, 5, 6, null).message();

        save(Patience.WAIT, withoutRow(record(5, null)));
        save(
                Patience.WAIT,
                withoutRow(
                        new OutboxRecord(other, 0, "dead", null, null, other.headers(), "failed")));

        assertThat(outbox.first(10, MUCH).records())
                .extracting(waiting -> waiting.origin().leaderEpoch())
                .containsExactly(5, 6);
    }

    @Test
    void aRecordIsTheSameWhenItIsReadAsWhenItWasWritten() {
        OutboxRecord written = record(5, "a", new byte[] {0, -1, 9});
        save(Patience.WAIT, withoutRow(written));

        Waiting read = outbox.first(10, MUCH).records().get(0);

        assertThat(read.origin()).isEqualTo(new Origin(TOPIC, 0, 0, 5, 5, 0));
        assertThat(read.topic()).isEqualTo("dead");
        assertThat(read.key()).isEqualTo(new byte[] {'a'});
        assertThat(read.value()).isEqualTo(new byte[] {0, -1, 9});
        assertThat(read.headers().toArray())
                .containsExactly(
                        new Header[] {
                            new RecordHeader("trace", new byte[] {0, -1, 7}),
                            new RecordHeader("trace", null)
                        });
    }

    @Test
    void aRecordIsOfTheSameOriginAlsoOnceAnotherTopicIsAdopted() {
        save(Patience.WAIT, withoutRow(record(5, null)));
        Origin before = outbox.first(10, MUCH).records().get(0).origin();

        fixture.checkpoints().adopt("orders", TOPIC, new Uuid(8, 12));
        fixture.checkpoints().adopt("orders", new Uuid(8, 12), new Uuid(9, 13));

        assertThat(outbox.first(10, MUCH).records().get(0).origin()).isEqualTo(before);
        assertThat(before.topicId()).isEqualTo(TOPIC);
    }

    @Test
    void neitherKeyNorValueIsNeeded() {
        save(Patience.WAIT, withoutRow(record(5, null, null)));

        Waiting read = outbox.first(10, MUCH).records().get(0);

        assertThat(read.key()).isNull();
        assertThat(read.value()).isNull();
    }

    @Test
    void aMessageIsWrittenDownOnce() {
        save(Patience.WAIT, withoutRow(record(5, null)));
        save(Patience.WAIT, withoutRow(record(5, null), record(6, null)));

        assertThat(waitingOffsets()).containsExactly(5L, 6L);
    }

    @Test
    void theRecordsOfAKeyAreReadInTheOrderInWhichTheyWereSaved() {
        long[] offsets = IntStream.range(0, 200).mapToLong(i -> 1_000 - i).toArray();
        save(Patience.WAIT, puttingOut("a", 0, offsets));
        save(Patience.WAIT, puttingOut("a", 1, 2_000));

        assertThat(waitingOffsets())
                .containsExactlyElementsOf(
                        IntStream.range(0, 201)
                                .mapToObj(i -> i == 200 ? 2_000L : 1_000L - i)
                                .toList());
    }

    @Test
    void ofManyRecordsSoManyAreReadAsFit() {
        byte[] large = new byte[100_000];
        save(
                Patience.WAIT,
                withoutRow(record(1, null, large), record(2, null, large), record(3, null, large)));

        assertThat(outbox.first(2, MUCH).records()).hasSize(2);
        assertThat(outbox.first(10, 250_000).records()).hasSize(2);
        assertThat(outbox.first(10, 10).records()).as("never none").hasSize(1);
        assertThat(outbox.first(10, MUCH).records()).hasSize(3);
    }

    @Test
    void recordsThatAreLeftOutTakeNoRoomFromTheOthers() {
        byte[] large = new byte[100_000];
        save(Patience.WAIT, withoutRow(record(1, null, large), record(2, null, large)));
        save(Patience.WAIT, withoutRow(record(3, null, new byte[] {1})));
        List<Waiting> all = outbox.first(10, MUCH).records();
        List<Long> two = all.stream().limit(2).map(Waiting::position).toList();

        assertThat(outbox.firstWithout(two, 1, 10).records())
                .extracting(Waiting::position)
                .containsExactly(all.get(2).position());
    }

    @Test
    void whatWasDeliveredIsDeletedAndTheRestStays() {
        save(Patience.WAIT, puttingOut("a", 0, 1, 2, 3));
        Batch batch = outbox.first(2, MUCH);

        outbox.delete(
                batch.records().stream().map(Waiting::position).toList(), batch.incarnation());

        assertThat(waitingOffsets()).containsExactly(3L);
    }

    @Test
    void nothingIsDeletedInAnotherIncarnation() {
        save(Patience.WAIT, puttingOut("a", 0, 1));
        long position = outbox.first(1, MUCH).records().get(0).position();

        assertThatThrownBy(() -> outbox.delete(List.of(position), new Incarnation("another")))
                .isInstanceOf(OtherIncarnationException.class);

        assertThat(waitingOffsets()).containsExactly(1L);
        assertThat(outbox.first(1, MUCH).incarnation()).isEqualTo(now);
    }

    @Test
    void itSaysHowMuchWaitsAndCountsNoFurtherThanAsked() {
        assertThat(outbox.depth(10)).isEqualTo(Depth.NONE);
        assertThat(outbox.first(10, MUCH).records()).isEmpty();
        save(Patience.WAIT, puttingOut("a", 0, 1, 2, 3));

        assertThat(outbox.depth(10).rows()).isEqualTo(3);
        assertThat(outbox.depth(2).rows()).isEqualTo(2);
        assertThat(outbox.depth(10).oldest()).isGreaterThanOrEqualTo(Duration.ZERO);
    }

    @Test
    void oneProcessDeliversUntilItLeavesOrItsTimeIsOver() {
        OutboxStore two = fixture.outbox("two");

        assertThat(outbox.lead(MINUTE)).isTrue();
        assertThat(two.lead(MINUTE)).isFalse();
        two.leave();
        assertThat(outbox.lead(MINUTE)).isTrue();
        outbox.leave();
        assertThat(two.lead(Duration.ofMillis(1).negated())).isTrue();

        assertThat(outbox.lead(MINUTE)).as("its time is over").isTrue();
        assertThat(two.lead(MINUTE)).isFalse();
    }
}
