package dev.envelope.idempotency.store.row;

import dev.envelope.core.api.Message;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A record that is to be produced: written down with the change that it comes with, delivered
 * later. Its identity is the message that it comes from and its place among what that one puts out:
 * written down again, it changes nothing.
 *
 * <p>Nobody changes the arrays and headers.
 *
 * @param origin the message that it comes from
 * @param ordinal its place among what the message puts out; 0 for a dead letter
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

    /** What it weighs in a statement. */
    public long bytes() {
        return (long) Message.OVERHEAD_BYTES
                + (key == null ? 0 : key.length)
                + (value == null ? 0 : value.length);
    }
}
