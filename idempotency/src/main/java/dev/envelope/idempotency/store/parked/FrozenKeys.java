package dev.envelope.idempotency.store.parked;

import java.time.Duration;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * How much of a partition is parked.
 *
 * @param keys how many keys are frozen
 * @param messages how many messages are parked: of these keys, and those that can't have a row
 * @param first the parked message with the lowest offset
 */
public record FrozenKeys(TopicPartition partition, long keys, long messages, First first) {

    /**
     * A parked message.
     *
     * @param key the key of its row; null if it can't have one
     * @param age how long ago it was parked
     */
    public record First(
            @Nullable String key, long offset, String reason, String error, Duration age) {}
}
