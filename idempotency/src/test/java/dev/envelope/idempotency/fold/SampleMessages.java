package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** Messages for tests that look at values and headers only. */
public final class SampleMessages {

    private static final PartitionEpoch EPOCH =
            new PartitionEpoch(1, new TopicPartition("orders", 0), 1, new Incarnation("first"));

    private SampleMessages() {}

    /** A tombstone. */
    public static Message tombstone() {
        return ofBytes(null);
    }

    public static Message of(String value, String... headers) {
        return ofBytes(value.getBytes(StandardCharsets.UTF_8), headers);
    }

    /** A message with headers: names and values in turn. */
    public static Message ofBytes(byte @Nullable [] value, String... headers) {
        RecordHeaders all = new RecordHeaders();
        for (int i = 0; i < headers.length; i += 2) {
            all.add(headers[i], headers[i + 1].getBytes(StandardCharsets.UTF_8));
        }
        ConsumerRecord<byte @Nullable [], byte @Nullable []> record =
                new ConsumerRecord<>(
                        "orders",
                        0,
                        7,
                        1_000,
                        TimestampType.CREATE_TIME,
                        1,
                        value == null ? -1 : value.length,
                        "k".getBytes(StandardCharsets.UTF_8),
                        value,
                        all,
                        Optional.of(3));
        return Message.of(EPOCH, 0, "k", record);
    }
}
