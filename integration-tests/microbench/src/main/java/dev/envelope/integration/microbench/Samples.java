package dev.envelope.integration.microbench;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Messages such as those of the large benchmark: bookings of accounts.
 *
 * <p>Threads: immutable.
 */
public final class Samples {

    public static final PartitionEpoch EPOCH =
            new PartitionEpoch(1, new TopicPartition("t", 0), 1, new Incarnation("life"));

    /** As many as a poll brings. */
    public static final int BATCH = 5_000;

    private Samples() {}

    /** The same at every run: as many messages as a poll brings, of keys drawn from so many. */
    public static Message[] messages(int keys) {
        SplittableRandom random = new SplittableRandom(1);
        Message[] messages = new Message[BATCH];
        for (int i = 0; i < BATCH; i++) {
            messages[i] = message(i, "account-%08x".formatted(random.nextInt(keys)));
        }
        return messages;
    }

    public static Message message(int offset, String key) {
        return Message.of(EPOCH, offset, key, record(offset, key));
    }

    private static ConsumerRecord<byte @Nullable [], byte @Nullable []> record(
            int offset, String key) {
        byte[] keyBytes = key.getBytes(StandardCharsets.UTF_8);
        byte[] value =
                "{\"account\":\"%s\",\"sequence\":%d,\"amount\":-73251,\"kind\":\"transfer\",\"currency\":\"EUR\",\"reference\":\"9ae16a3b2f90404f-c949d7c7509e6557\",\"booked\":true}"
                        .formatted(key, offset)
                        .getBytes(StandardCharsets.UTF_8);
        return new ConsumerRecord<>(
                EPOCH.partition().topic(),
                EPOCH.partition().partition(),
                offset,
                1_700_000_000_000L + offset,
                TimestampType.CREATE_TIME,
                keyBytes.length,
                value.length,
                keyBytes,
                value,
                new RecordHeaders(),
                Optional.of(0));
    }
}
