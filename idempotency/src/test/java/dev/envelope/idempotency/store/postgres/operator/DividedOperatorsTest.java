package dev.envelope.idempotency.store.postgres.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.Messages;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.place.operator.DividedOperators;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.StateStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Operators of rows that are divided between two schemas. */
class DividedOperatorsTest {

    private static final Division DIVISION = new Division(List.of(0, 1));

    private final List<PostgresFixture> slots =
            List.of(new PostgresFixture(), new PostgresFixture());
    private final OperatorStore operators =
            new DividedOperators(
                    () ->
                            new DividedOperators.Slots(
                                    DIVISION,
                                    slots.stream()
                                            .<OperatorStore>map(
                                                    slot ->
                                                            new OperatorConnections(
                                                                    slot.settings(),
                                                                    System::nanoTime))
                                            .toList()));

    private static String keyOf(int slot) {
        return IntStream.range(0, 100)
                .mapToObj(i -> "key-" + i)
                .filter(key -> DIVISION.slotOf(key) == slot)
                .findFirst()
                .orElseThrow();
    }

    @BeforeEach
    void aRowWithAParkedMessageInEach() {
        for (int slot = 0; slot < 2; slot++) {
            PostgresFixture its = slots.get(slot);
            its.checkpoints()
                    .introduce(
                            List.of(
                                    new NewSource(
                                            new TopicPartition("t", 0),
                                            new Uuid(1, 1),
                                            new NextOffset(0, 0))));
            Change change =
                    new Change(
                            keyOf(slot),
                            0,
                            ("{\"slot\":" + slot + "}").getBytes(StandardCharsets.UTF_8),
                            Marks.NONE,
                            null,
                            0,
                            List.of(Messages.parked(1, 7, keyOf(slot))));
            its.states()
                    .save(
                            List.of(change),
                            StateStore.Patience.WAIT,
                            its.checkpoints().incarnation());
        }
    }

    @AfterEach
    void close() {
        operators.close();
        slots.forEach(PostgresFixture::close);
    }

    @Test
    void aKeyIsReadInItsSlot() {
        for (int slot = 0; slot < 2; slot++) {
            try (var keys = operators.keys();
                    var locks = operators.locks()) {
                assertThat(keys.row(keyOf(slot)).orElseThrow().state()).contains(":" + slot);
                assertThat(keys.timers(keyOf(slot))).isEmpty();
                assertThat(keys.asked(keyOf(slot))).isEmpty();
                assertThat(locks.ofRow(keyOf(slot))).isEmpty();
                assertThat(locks.ofTable()).isEmpty();
            }
        }
    }

    @Test
    void parkedMessagesOfAllSlotsAreDistinct() {
        try (ParkedCatalog parked = operators.parked()) {
            assertThat(parked.countKeys()).isEqualTo(2);
            List<ParkedCatalog.Entry> all = parked.messages(null, 0, 10);
            assertThat(all).extracting(ParkedCatalog.Entry::rowKey).contains(keyOf(0), keyOf(1));
            assertThat(all).extracting(ParkedCatalog.Entry::position).doesNotHaveDuplicates();
            long first = all.get(0).position();
            assertThat(parked.messages(null, first, 10))
                    .extracting(ParkedCatalog.Entry::position)
                    .containsExactly(all.get(1).position());
        }
    }

    @Test
    void aRequestIsMadeInTheSlotOfItsKeyUnderANumberOfItsOwn() {
        try (RequestCatalog requests = operators.requests()) {
            long one = requests.ask(keyOf(0), Action.REDRIVE, "me").orElseThrow();
            long other = requests.ask(keyOf(1), Action.DROP, "me").orElseThrow();

            assertThat(one).isNotEqualTo(other);
            assertThat(requests.answerTo(one)).isEmpty();
            assertThat(requests.answersTo(List.of(one, other))).isEqualTo(Map.of());
            assertThat(requests.audit(null, 10))
                    .extracting(RequestCatalog.Entry::number)
                    .containsExactlyInAnyOrder(one, other);
            assertThat(requests.audit(keyOf(1), 10))
                    .extracting(RequestCatalog.Entry::number)
                    .containsExactly(other);
            assertThat(requests.askToSet(keyOf(1), "{}", 1L, "me")).isPresent();
            assertThat(requests.askToDelete(keyOf(0), 5L, "me")).isEmpty();
            assertThat(requests.askToEdit(keyOf(0), null, "me")).isPresent();
            assertThat(requests.askToQuarantine(keyOf(0), "me")).isPresent();
            assertThat(requests.isAnybodyThere(Duration.ofSeconds(1))).isFalse();
        }
        try (RequestCatalog ofSlot =
                new OperatorConnections(slots.get(1).settings(), System::nanoTime).requests()) {
            assertThat(ofSlot.audit(null, 10)).hasSize(2);
        }
    }

    @Test
    void outputsOfAllSlotsAreLookedAt() {
        try (var outputs = operators.outputs();
                var pauses = operators.pauses();
                var stopped = operators.stopped()) {
            assertThat(outputs.waiting(10).topics()).isEmpty();
            assertThat(outputs.refused(0, 10)).isEmpty();
            assertThat(outputs.retry(null, "me").outputs()).isZero();
            assertThat(outputs.retry(257L, "me").outputs()).isZero();
            assertThat(outputs.drop(256L, "me").outputs()).isZero();
            assertThat(pauses.all()).isNotNull();
            assertThat(stopped.all()).isEmpty();
        }
    }
}
