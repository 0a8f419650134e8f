package dev.envelope.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.testkit.Records;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class OrderingTest {

    private static @Nullable String placeOf(Ordering ordering, int partition, long offset) {
        TopicPartition of = new TopicPartition("orders", partition);
        return ordering.placeOf(Records.record(of, offset, 0, "key", "value"));
    }

    @Test
    void theKeyDecidesUnlessItIsToldOtherwise() {
        assertThat(placeOf(Ordering.KEY, 1, 7)).isNull();
        assertThat(placeOf(Ordering.PARTITION, 1, 7)).isEqualTo("orders-1");
        assertThat(placeOf(Ordering.NONE, 1, 7)).isEqualTo("orders-1@7");
    }

    @Test
    void inBatchesNeighboursAreTogetherWhereNothingElseDecides() {
        Ordering batches = Ordering.NONE.inBatchesOf(10);

        assertThat(placeOf(batches, 1, 20)).isEqualTo("orders-1@20");
        assertThat(placeOf(batches, 1, 29)).isEqualTo("orders-1@20");
        assertThat(placeOf(batches, 1, 30)).isEqualTo("orders-1@30");
        assertThat(placeOf(batches, 2, 29)).isEqualTo("orders-2@20");
        assertThat(Ordering.KEY.inBatchesOf(10)).isEqualTo(Ordering.KEY);
        assertThat(Ordering.PARTITION.inBatchesOf(10)).isEqualTo(Ordering.PARTITION);
    }

    @Test
    void aBatchHasAtLeastOne() {
        assertThatThrownBy(() -> Ordering.NONE.inBatchesOf(0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
