package dev.envelope.idempotency.store.output;

import dev.envelope.core.api.Message;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A record that a handler has emitted: saved with the change that it belongs to, or not at all.
 *
 * <p>The arrays and headers are never changed.
 *
 * @param origin the message that it comes from
 * @param ordinal its number among that message's outputs, from {@link #FIRST} on; {@link
 *     #CHANGELOG} for the new state of the key
 * @param bytes its approximate size in a statement and in memory
 */
public record Output(
        Message origin,
        int ordinal,
        String topic,
        byte @Nullable [] key,
        byte @Nullable [] value,
        Headers headers,
        long bytes) {

    /** The ordinal of a changelog. A dead letter has it too, but no message has both. */
    public static final int CHANGELOG = 0;

    /** The ordinal of the first output of a message. */
    public static final int FIRST = 1;

    private static final long OVERHEAD_BYTES = 48; // of its elements in the arrays of its row

    /** The lane of a row key's outputs to a topic. Two lanes with one number share their order. */
    public static int lane(String rowKey, String topic) {
        return 31 * rowKey.hashCode() + topic.hashCode();
    }

    public Output(
            Message origin,
            int ordinal,
            String topic,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers) {
        this(origin, ordinal, topic, key, value, headers, bytes(topic, key, value, headers));
    }

    static long bytes(
            String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
        long bytes = OVERHEAD_BYTES + topic.length();
        bytes += length(key) + length(value);
        for (Header header : headers) {
            bytes += header.key().length() + length(header.value());
        }
        return bytes;
    }

    private static long length(byte @Nullable [] content) {
        return content == null ? 0 : content.length;
    }
}
