package dev.envelope.idempotency.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.outbox.Delivery.Refusal;
import dev.envelope.idempotency.store.InMemoryCheckpoints;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryOutboxStore;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.OutboxStore;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.OutboxRecord;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Records of keys on their way from the outbox to Kafka, turn by turn. */
class RelayTest {

    private static final Uuid TOPIC = new Uuid(7, 11);

    private long clock;
    private final InMemoryDatabase database = new InMemoryDatabase(() -> clock);
    private final InMemoryOutboxStore.Lease lease = new InMemoryOutboxStore.Lease();
    private final FakeDelivery kafka = new FakeDelivery();
    private final OutboxRoom room =
            new OutboxRoom(new OutboxRoom.Limits(4, Duration.ofMinutes(10)));
    private final Relay relay = relay("one", kafka, room);
    private final PartitionEpoch epoch = introduced();
    private long nextOffset;
    private boolean deletesFail;
    private boolean countsFail;
    private boolean allFails;

    private PartitionEpoch introduced() {
        NewSource source = new NewSource(new TopicPartition("t", 0), TOPIC, new NextOffset(0, 0));
        new InMemoryCheckpoints(database).introduce(List.of(source));
        return Records.epoch(1, 1, database.incarnation());
    }

    private Relay relay(String process, Delivery to, OutboxRoom of) {
        return new Relay(
                new ForgetfulOutbox(new InMemoryOutboxStore(database, lease, process, () -> clock)),
                to,
                of,
                "shop",
                () -> clock,
                new Random(1));
    }

    /** Writes a record of that key down. */
    private void put(@Nullable String key, String value) {
        Message origin = Records.message(epoch, nextOffset++, "a", value);
        OutboxRecord record =
                new OutboxRecord(
                        origin,
                        0,
                        "dead",
                        key == null ? null : key.getBytes(StandardCharsets.UTF_8),
                        value.getBytes(StandardCharsets.UTF_8),
                        new RecordHeaders(),
                        "failed");
        new InMemoryStateStore(database)
                .save(
                        List.of(
                                Change.ofMessagesWithoutRow(
                                        Message.NO_ROW, List.of(), List.of(record), List.of())),
                        Patience.WAIT,
                        database.incarnation());
    }

    private void pass(Duration time) {
        clock += time.toNanos();
    }

    private void turnUntilIdle() {
        while (relay.turn()) {
            // As its thread does.
        }
    }

    @Test
    void whatWasAcknowledgedIsDeletedAndWhatWasNotStays() {
        put("a", "1");
        put("b", "2");
        kafka.refuse("2", new Refusal("no", false));

        turnUntilIdle();

        assertThat(kafka.values()).containsExactly("1");
        assertThat(database.outbox()).hasSize(1);
        assertThat(relay.status().relayed()).isEqualTo(1);
        assertThat(relay.status().failures()).isEqualTo(1);
    }

    @Test
    void theIdIsMadeOfTheMessagesIdentity() {
        put("a", "1");

        turnUntilIdle();

        assertThat(kafka.ids()).containsExactly("shop/" + TOPIC + "/0/0@0");
        assertThat(kafka.arrived().get(0).timestamp()).as("the broker's").isNull();
    }

    @Test
    void theSecondRecordOfAKeyIsSentOnlyAfterTheFirstWasAcknowledged() {
        put("a", "1");
        put("b", "2");
        put("a", "3");
        put(null, "4");
        put(null, "5");

        turnUntilIdle();

        assertThat(kafka.waves()).containsExactly(2, 3);
        assertThat(kafka.values()).containsExactly("1", "2", "3", "4", "5");
        assertThat(database.outbox()).isEmpty();
    }

    @Test
    void whatComesBehindARefusedRecordOfItsKeyWaitsWithIt() {
        kafka.refuse("1", new Refusal("too large", true));
        put("a", "1");
        put("b", "2");
        put("a", "3");
        put("b", "4");

        turnUntilIdle();

        assertThat(kafka.values()).containsExactly("2", "4");
        kafka.takeAgain("1");
        pass(Duration.ofSeconds(10));
        turnUntilIdle();

        assertThat(kafka.values()).containsExactly("2", "4", "1", "3");
    }

    @Test
    void manyThatAreTooLargeKeepNobodyElseBackAndNothingOfTheirKeysOvertakesThem() {
        kafka.refuse("large", new Refusal("too large", true));
        for (int i = 0; i < 600; i++) { // more than are read at once
            put("large " + i, "large");
        }
        put("large 1", "behind");
        put("b", "1");
        turnUntilIdle();

        assertThat(kafka.values()).containsExactly("1");
        put("large 2", "behind");
        put("b", "2");
        turnUntilIdle();

        assertThat(kafka.values()).as("while they wait").containsExactly("1", "2");
        assertThat(relay.status().trouble()).contains("too large");
        kafka.takeAgain("large");
        pass(Duration.ofSeconds(10));
        turnUntilIdle();

        assertThat(database.outbox()).isEmpty();
        assertThat(kafka.values()).hasSize(604).endsWith("behind", "behind");
        assertThat(relay.status().trouble()).isEmpty();
    }

    @Test
    void whatWasLeftBehindInOneLifeOfTheDatabaseHidesNothingInTheNext() {
        InMemoryDatabase.Backup before = database.backup();
        kafka.refuse("large", new Refusal("too large", true));
        put("a", "large");
        turnUntilIdle();
        database.restore(before);
        put("b", "at its place");
        put("a", "2");

        turnUntilIdle();

        assertThat(kafka.values()).containsExactly("at its place", "2");
    }

    @Test
    void whoDiesBetweenSendingAndDeletingHasItDeliveredAgainUnderTheSameId() {
        put("a", "1");
        put("a", "2");
        kafka.afterWave(
                () -> {
                    throw new ProcessKilled();
                });
        assertThatThrownBy(relay::turn).isInstanceOf(ProcessKilled.class);
        kafka.afterWave(() -> {});
        pass(Duration.ofMinutes(2));

        Relay next = relay("two", kafka, room);
        while (next.turn()) {
            // As its thread does.
        }

        assertThat(kafka.values()).containsExactly("1", "1", "2");
        assertThat(kafka.ids().get(0)).isEqualTo(kafka.ids().get(1));
        assertThat(database.outbox()).isEmpty();
    }

    @Test
    void oneProcessDeliversAtATime() {
        put("a", "1");
        kafka.refuseAll("not now");
        relay.turn();
        FakeDelivery other = new FakeDelivery();
        Relay second = relay("two", other, room);

        second.turn();
        assertThat(other.values()).isEmpty();
        relay.leave();
        second.turn();

        assertThat(other.values()).containsExactly("1");
    }

    @Test
    void whatWasReadInOneLifeOfTheDatabaseIsNotDeletedInTheNext() {
        InMemoryDatabase.Backup before = database.backup();
        put("a", "lost");
        kafka.afterWave(
                () -> {
                    kafka.afterWave(() -> {});
                    database.restore(before);
                    put("a", "at its place");
                });

        turnUntilIdle();
        turnUntilIdle();

        assertThat(kafka.values()).containsExactly("lost", "at its place");
    }

    @Test
    void afterARefusalItRestsLongerEachTimeAndClosesWhatIsUnderWay() {
        put("a", "1");
        kafka.refuseAll("the topic dead does not exist");
        for (int second = 0; second < 60; second++) {
            turnUntilIdle();
            pass(Duration.ofSeconds(1));
        }

        assertThat(kafka.waves().size()).isBetween(6, 14);
        assertThat(kafka.closed()).isEqualTo(kafka.waves().size());
        assertThat(relay.status().trouble()).contains("does not exist");
        kafka.refuseAll(null);
        pass(Duration.ofSeconds(15));
        turnUntilIdle();

        assertThat(kafka.values()).containsExactly("1");
        assertThat(relay.status().trouble()).isEmpty();
    }

    @Test
    void theRoomIsFullAtTheCountAndOpensWhenAQuarterIsFree() {
        kafka.refuseAll("no");
        for (int i = 0; i < 4; i++) {
            put("a", "v");
        }
        turnUntilIdle();

        assertThat(room.isOpen()).isFalse();
        assertThat(relay.status().isFull()).isTrue();
        assertThat(relay.status().notReadyBecause())
                .isEqualTo("dead letters can't be delivered: no (4 wait, the first for 0 s)");
        kafka.refuseAll(null);
        pass(Duration.ofSeconds(15));
        turnUntilIdle();
        turnUntilIdle();

        assertThat(room.isOpen()).isTrue();
        assertThat(database.outbox()).isEmpty();
    }

    @Test
    void theRoomIsFullWhenTheFirstHasWaitedTooLong() {
        kafka.refuseAll("no");
        put("a", "1");
        turnUntilIdle();
        assertThat(room.isOpen()).isTrue();

        pass(Duration.ofMinutes(11));
        turnUntilIdle();

        assertThat(room.isOpen()).isFalse();
    }

    @Test
    void whatWaitsAtAPlaceThatIsAwayFillsTheRoomNoMore() {
        kafka.refuseAll("no");
        for (int i = 0; i < 4; i++) {
            put("a", "v");
        }
        turnUntilIdle();
        room.measured("another place", new OutboxStore.Depth(0, Duration.ZERO));
        countsFail = true;
        turnUntilIdle();
        assertThat(room.isOpen()).as("it is there, and only long").isFalse();

        allFails = true;
        turnUntilIdle();
        assertThat(room.isOpen()).isTrue();
        assertThat(relay.status().isFull()).isFalse();

        allFails = false;
        countsFail = false;
        turnUntilIdle();
        assertThat(room.isOpen()).isFalse();
    }

    @Test
    void betweenTwoMeasurementsWhatWasAddedCounts() {
        room.added(3);
        assertThat(room.isOpen()).isTrue();
        room.added(1);

        assertThat(room.isOpen()).isFalse();
        turnUntilIdle();
        assertThat(room.isOpen()).as("nothing waits").isTrue();
    }

    @Test
    void whatArrivedAndCouldNotBeDeletedIsDeletedLaterAndNotSentAgain() {
        put("a", "1");
        deletesFail = true;
        turnUntilIdle();
        assertThat(database.outbox()).hasSize(1);

        deletesFail = false;
        turnUntilIdle();

        assertThat(database.outbox()).isEmpty();
        assertThat(kafka.values()).containsExactly("1");
    }

    /** An outbox of which nothing can be deleted while the test says so. */
    private final class ForgetfulOutbox implements OutboxStore {

        private final OutboxStore inner;

        ForgetfulOutbox(OutboxStore inner) {
            this.inner = inner;
        }

        @Override
        public Depth depth(int most) {
            if (allFails || (countsFail && most > 1)) {
                throw new UnavailableException("the statement took too long");
            }
            return inner.depth(most);
        }

        @Override
        public boolean lead(Duration forSoLong) {
            return inner.lead(forSoLong);
        }

        @Override
        public void leave() {
            inner.leave();
        }

        @Override
        public Batch firstWithout(List<Long> positions, int most, long maxBytes) {
            return inner.firstWithout(positions, most, maxBytes);
        }

        @Override
        public void delete(List<Long> positions, Incarnation incarnation) {
            if (deletesFail) {
                throw new UnavailableException("the row is locked");
            }
            inner.delete(positions, incarnation);
        }
    }

    private static final class ProcessKilled extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
