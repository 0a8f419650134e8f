package dev.envelope.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Message;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class DivisionTest {

    /** The hashes of these texts, as Kafka's own tests have them. */
    private static final Map<String, Integer> MURMUR2 =
            Map.of(
                    "21", -973932308,
                    "foobar", -790332482,
                    "a-little-bit-long-string", -985981536,
                    "a-little-bit-longer-string", -1486304829,
                    "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971,
                    "abc", 479470107);

    private static Division slots(int count) {
        return new Division(Collections.nCopies(count, 0));
    }

    @Test
    void theSlotOfAKeyIsForEver() {
        MURMUR2.forEach(
                (key, hash) ->
                        assertThat(slots(64).slotOf(key))
                                .as(key)
                                .isEqualTo((hash & 0x7fffffff) % 64));
    }

    @Test
    void aKeyIsInTheSlotThatTheDefaultPartitionerWouldTakeForItsPartition() {
        for (int i = 0; i < 1_000; i++) {
            String key = "Schlüssel-" + i + "-\uD83D\uDD11";
            byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
            assertThat(slots(7).slotOf(key))
                    .isEqualTo(BuiltInPartitioner.partitionForKey(bytes, 7));
        }
    }

    @Test
    void whereTheSlotsDivideThePartitionsAllKeysOfAPartitionAreInOneSlot() {
        for (int i = 0; i < 1_000; i++) {
            String key = "key-" + i;
            int partition =
                    BuiltInPartitioner.partitionForKey(key.getBytes(StandardCharsets.UTF_8), 24);
            assertThat(slots(8).slotOf(key)).isEqualTo(partition % 8);
        }
    }

    @Test
    void whatCanHaveNoRowIsWhereTheRowsOfItsPartitionAre() {
        for (String topic : List.of("orders", "orders-7", "a.b-c")) {
            for (int partition = 0; partition < 30; partition++) {
                String key = Message.NO_ROW + new TopicPartition(topic, partition);
                assertThat(slots(6).slotOf(key)).as(topic).isEqualTo(partition % 6);
            }
        }
        assertThat(slots(6).slotOf(Message.NO_ROW)).isZero();
    }

    @Test
    void whatIsNotDividedIsInTheOnlySlot() {
        assertThat(IntStream.range(0, 100).map(i -> Division.NONE.slotOf("key-" + i)))
                .containsOnly(0);
        assertThat(Division.NONE.slotOf(Message.NO_ROW + "a-12")).isZero();
        assertThat(Division.NONE.slotsAt(0)).containsExactly(0);
        assertThat(Division.NONE.places()).isEqualTo(1);
    }

    @Test
    void slotsAreAtTheirPlacesAndNoPlaceIsWithout() {
        Division division = new Division(List.of(1, 0, 2, 1));

        assertThat(division.slots()).isEqualTo(4);
        assertThat(division.places()).isEqualTo(3);
        assertThat(division.slotsAt(1)).containsExactly(0, 3);
        assertThat(division.slotsAt(2)).containsExactly(2);
        assertThat(division.placeOf(1)).isZero();
        assertThat(division).isEqualTo(new Division(List.of(1, 0, 2, 1)));
        assertThat(division).isNotEqualTo(new Division(List.of(0, 1, 2, 1)));
        assertThatThrownBy(() -> new Division(List.of(0, 2))).hasMessageContaining("gaps");
        assertThatThrownBy(() -> new Division(List.of())).hasMessageContaining("gaps");
    }
}
