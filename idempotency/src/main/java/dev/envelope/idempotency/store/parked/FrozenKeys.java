package dev.envelope.idempotency.store.parked;

import java.time.Duration;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What stands parked of a partition, until a person does something about it.
 *
 * @param keys whatever comes of them is parked, too
 * @param messages of these keys, and those that can't have a row
 * @param first the one with the lowest offset
 */
public record FrozenKeys(TopicPartition partition, long keys, long messages, First first) {

    /**
     * A parked message.
     *
     * @param key of its row; null if it can't have one
     * @param age since it was parked
     */
    public record First(
            @Nullable String key, long offset, String reason, String error, Duration age) {}
}
