package dev.envelope.core.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.key.KeyFormat.KeyRefused;
import dev.envelope.core.testkit.Records;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class ReservedKeysTest {

    private static String rowKey(RowKeys keys, String topic, int partition, long offset)
            throws KeyRefused {
        return keys.of(
                Records.record(new TopicPartition(topic, partition), offset, 0, null, "value"));
    }

    private static RowKeys keys(RowKeys.Scope scope, NullKeys policy) {
        return new RowKeys(KeyFormats.string(), scope, policy);
    }

    @Test
    void recordsWithoutAKeyAreOneRowForEachPartitionOfEachTopic() throws KeyRefused {
        RowKeys keys = keys(RowKeys.Scope.APPLICATION, new NullKeys.Partition());

        assertThat(rowKey(keys, "orders", 3, 7)).isEqualTo("\uFFFFno-key/orders/partition-3");
        assertThat(rowKey(keys, "refunds", 3, 7)).isEqualTo("\uFFFFno-key/refunds/partition-3");
        assertThat(rowKey(keys, "orders", 3, 8)).isEqualTo(rowKey(keys, "orders", 3, 7));
        assertThat(rowKey(keys, "orders", 0, 7)).isEqualTo("\uFFFFno-key/orders/partition-0");
    }

    @Test
    void spreadRecordsComeToTheSameRowWheneverTheyAreReadAndToNoMoreRowsThanAsked()
            throws KeyRefused {
        RowKeys first = keys(RowKeys.Scope.TOPIC, new NullKeys.Spread(8));
        RowKeys afterARestart = keys(RowKeys.Scope.TOPIC, new NullKeys.Spread(8));
        Set<String> rows = new HashSet<>();

        for (int partition = 0; partition < 3; partition++) {
            for (long offset = 0; offset < 200; offset++) {
                String row = rowKey(first, "orders", partition, offset);
                assertThat(rowKey(afterARestart, "orders", partition, offset)).isEqualTo(row);
                rows.add(row);
            }
        }

        assertThat(rows).hasSize(8).allMatch(row -> row.startsWith("\uFFFFno-key/orders/spread-"));
    }

    /** Rows that exist name their slots: another function would apply old records anew. */
    @Test
    void theFunctionFromPlaceToSlotIsForEver() {
        assertThat(LongStream.range(0, 6).mapToInt(at -> ReservedKeys.slot(0, at, 64)))
                .containsExactly(0, 42, 2, 15, 47, 35);
        assertThat(IntStream.range(0, 6).map(at -> ReservedKeys.slot(at, 41, 64)))
                .containsExactly(10, 57, 16, 18, 7, 25);
    }

    @Test
    void everySecondOffsetIsSpreadAsWell() {
        Set<Integer> slots = new HashSet<>();
        for (long offset = 0; offset < 1000; offset += 2) {
            slots.add(ReservedKeys.slot(5, offset, 64));
        }
        assertThat(slots).hasSize(64);
    }

    @Test
    void topicsShareSpreadRowsOnlyWhereTheyShareKeys() throws KeyRefused {
        RowKeys shared = keys(RowKeys.Scope.APPLICATION, new NullKeys.Spread(4));
        RowKeys apart = keys(RowKeys.Scope.TOPIC, new NullKeys.Spread(4));

        assertThat(rowKey(shared, "orders", 0, 1)).isEqualTo(rowKey(shared, "refunds", 0, 1));
        assertThat(rowKey(apart, "orders", 0, 1)).isNotEqualTo(rowKey(apart, "refunds", 0, 1));
    }
}
