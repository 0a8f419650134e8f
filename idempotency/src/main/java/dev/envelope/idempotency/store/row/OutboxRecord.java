package dev.envelope.idempotency.store.row;

import dev.envelope.core.api.Message;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A record to be produced: inserted into {@code outbox} with its change, delivered later. Its
 * identity is the message that it comes from and its ordinal among that message's records;
 * inserting it again changes nothing.
 *
 * <p>The arrays and headers are never changed.
 *
 * @param origin the message that it comes from
 * @param ordinal its number among the message's records; 0 for a dead letter
 * @param reason one word for grouping: {@code failed}, {@code undecodable}, {@code null-key} …
 */
public record OutboxRecord(
        Message origin,
        int ordinal,
        String topic,
        byte @Nullable [] key,
        byte @Nullable [] value,
        Headers headers,
        String reason) {

    /** Its approximate size in a statement. */
    public long bytes() {
        return (long) Message.OVERHEAD_BYTES
                + (key == null ? 0 : key.length)
                + (value == null ? 0 : value.length);
    }
}
