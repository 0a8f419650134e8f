package dev.envelope.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.key.KeyFormat.KeyRefused;
import dev.envelope.core.testkit.Records;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RowKeysTest {

    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

    private static String rowKey(RowKeys.Scope scope, @Nullable String key) throws KeyRefused {
        return new RowKeys(KeyFormats.string(), scope)
                .of(Records.record(ORDERS, 0, 0, key, "value"));
    }

    private static String rowKey(@Nullable String key) throws KeyRefused {
        return rowKey(RowKeys.Scope.APPLICATION, key);
    }

    @Test
    void isTheKeyItselfOrHasTheTopicBeforeIt() throws KeyRefused {
        assertThat(rowKey("a")).isEqualTo("a");
        assertThat(rowKey("")).isEmpty();
        assertThat(rowKey(RowKeys.Scope.TOPIC, "a")).isEqualTo("orders/a");
    }

    @Test
    void refusesARecordWithoutAKey() {
        assertThatThrownBy(() -> rowKey(null))
                .isInstanceOf(KeyRefused.class)
                .hasMessageStartingWith("null-key:");
    }

    @Test
    void refusesANulSoThatNoKeyCanBeAReservedOne() {
        assertThatThrownBy(() -> rowKey("\0"))
                .isInstanceOf(KeyRefused.class)
                .hasMessageStartingWith("key-nul:");
    }

    @Test
    void refusesAKeyThatBeginsLikeThoseOfRecordsWithoutAKey() throws KeyRefused {
        assertThatThrownBy(() -> rowKey("\uFFFFno-key/orders/partition-0"))
                .isInstanceOf(KeyRefused.class)
                .hasMessageStartingWith("key-reserved:");
        assertThat(rowKey("a\uFFFF")).isEqualTo("a\uFFFF");
    }

    @Test
    void refusesWhatAnIndexEntryCannotHoldCountedInBytes() throws KeyRefused {
        int most = RowKeys.MAX_UTF8_BYTES;

        assertThat(rowKey("k".repeat(most))).hasSize(most);
        assertThat(rowKey("€".repeat(most / 3))).hasSize(most / 3);
        assertThatThrownBy(() -> rowKey("k".repeat(most + 1)))
                .hasMessageStartingWith("key-too-long:");
        assertThatThrownBy(() -> rowKey("€".repeat(most / 3 + 1)))
                .hasMessageStartingWith("key-too-long:");
        assertThatThrownBy(() -> rowKey("k".repeat(1_000_000)))
                .hasMessageStartingWith("key-too-long:");
    }
}
