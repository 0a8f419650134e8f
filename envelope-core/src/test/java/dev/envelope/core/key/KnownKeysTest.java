package dev.envelope.core.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.RowKey;
import dev.envelope.core.key.KeyFormat.KeyRefused;
import dev.envelope.core.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class KnownKeysTest {

    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
    private static final TopicPartition REFUNDS = new TopicPartition("refunds", 0);
    private static final int SIZE = 64;

    private final RowKeys keys = remembering(KeyFormats.string(), RowKeys.Scope.APPLICATION);

    private static RowKeys remembering(KeyFormat format, RowKeys.Scope scope) {
        return new RowKeys(format, scope, new NullKeys.Reject(), Ordering.KEY, SIZE);
    }

    private static ConsumerRecord<byte @Nullable [], byte @Nullable []> record(
            TopicPartition partition, @Nullable String key) {
        return Records.record(partition, 0, 0, key, "value");
    }

    private RowKey row(String key) throws KeyRefused {
        return keys.rowOf(record(ORDERS, key));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aKeyThatComesAgainIsTheSameObject() throws KeyRefused {
        assertThat(row("a").isKept()).isFalse();
        RowKey first = row("a");

        assertThat(first.isKept()).isTrue();
        assertThat(first).extracting(RowKey::text, RowKey::bytes).containsExactly("a", utf8("a"));
        assertThat(row("a")).isSameAs(first);
        assertThat(row("b").text()).isEqualTo("b");
        assertThat(row("a")).isSameAs(first);
    }

    @Test
    void keysOfTheSamePlaceAreNotMistakenForEachOther() throws KeyRefused {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 100 * SIZE; i++) {
                RowKey row = row("key-" + i);

                assertThat(row.text()).isEqualTo("key-" + i);
                assertThat(row.bytes()).isEqualTo(utf8("key-" + i));
            }
        }
    }

    @Test
    void theSameBytesOfAnotherTopicAreAnotherRow() throws KeyRefused {
        RowKeys byTopic = remembering(KeyFormats.string(), RowKeys.Scope.TOPIC);

        assertThat(byTopic.rowOf(record(ORDERS, "a")).text()).isEqualTo("orders/a");
        assertThat(byTopic.rowOf(record(REFUNDS, "a")).text()).isEqualTo("refunds/a");
        assertThat(byTopic.rowOf(record(ORDERS, "a")).text()).isEqualTo("orders/a");
    }

    @Test
    void aFormatThatLooksAtTheTopicIsAskedEachTime() throws KeyRefused {
        int[] asked = {0};
        KeyFormat counting = (topic, headers, key) -> topic.toUpperCase(Locale.ROOT) + ++asked[0];
        RowKeys counted = remembering(counting, RowKeys.Scope.APPLICATION);

        assertThat(counted.rowOf(record(ORDERS, "a")).text()).isEqualTo("ORDERS1");
        assertThat(counted.rowOf(record(ORDERS, "a")).text()).isEqualTo("ORDERS2");
    }

    @Test
    void aLongKeyIsNotKept() throws KeyRefused {
        String longest = "k".repeat(64);

        assertThat(row(longest).isKept()).isFalse();
        assertThat(row(longest)).isSameAs(row(longest));
        assertThat(row(longest + "k")).isNotSameAs(row(longest + "k"));
    }

    @Test
    void restsWhileFewKeysComeAgainAndTriesAgainLater() throws KeyRefused {
        for (int i = 0; i <= SIZE; i++) {
            assertThat(row("once-" + i).text()).isEqualTo("once-" + i);
        }

        assertThat(row("a")).as("it rests").isNotSameAs(row("a"));

        for (int i = 0; i < 8 * SIZE; i++) {
            assertThat(row("again-" + i).text()).isEqualTo("again-" + i);
        }
        assertThat(row("a").isKept()).isFalse();
        assertThat(row("a")).as("it tries again").isSameAs(row("a"));
        for (int i = 0; i < 10 * SIZE; i++) {
            assertThat(row("a").text()).isEqualTo("a");
        }
        assertThat(row("a")).as("it pays").isSameAs(row("a"));
    }
}
