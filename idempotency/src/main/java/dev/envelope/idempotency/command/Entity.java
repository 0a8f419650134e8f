package dev.envelope.idempotency.command;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A row, for callers outside.
 *
 * @param state its JSON as UTF-8, never changed; null if the key was deleted or has only marks
 * @param nextOffsets for each partition of the present topics, the next offset that is not applied
 * @param age how long ago it was saved, by the clock of the database
 */
public record Entity(
        byte @Nullable [] state,
        long version,
        Map<TopicPartition, Long> nextOffsets,
        Instant updatedAt,
        Duration age) {}
