package dev.envelope.core.offset;

import dev.envelope.core.api.Message;
import org.apache.kafka.common.TopicPartition;

/**
 * What people need to find a message.
 *
 * @param key the row key, or one that begins with {@link Message#NO_ROW}
 */
public record MessageName(TopicPartition partition, long offset, String key, long timestampMillis) {

    public static MessageName of(Message message) {
        return new MessageName(
                message.epoch().partition(),
                message.offset(),
                message.key(),
                message.timestampMillis());
    }

    @Override
    public String toString() {
        return partition + "@" + offset;
    }
}
