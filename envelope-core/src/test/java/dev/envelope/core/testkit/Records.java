package dev.envelope.core.testkit;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.PartitionEpoch.Durable;
import dev.envelope.core.offset.OffsetLedger;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** Records and messages for tests that need no log. */
public final class Records {

    public static final Incarnation LIFE = new Incarnation("life-1");

    private Records() {}

    /**
     * An epoch of partition {@code number - 1} of topic {@code t}, whose source has that number.
     */
    public static PartitionEpoch epoch(int number) {
        return epoch(number, number, LIFE);
    }

    public static PartitionEpoch epoch(long number, int source, Incarnation life) {
        return new PartitionEpoch(number, new TopicPartition("t", source - 1), source, life);
    }

    /** An epoch that began when its source's checkpoint was there. */
    public static PartitionEpoch epochAgain(
            long number, int source, Incarnation life, NextOffset checkpoint) {
        TopicPartition partition = new TopicPartition("t", source - 1);
        return new PartitionEpoch(number, partition, source, Set.of(), life, checkpoint);
    }

    /**
     * An epoch of rows that are divided, which began at the lowest checkpoint of their slots.
     *
     * @param inSlotOf the checkpoint of the slot that a row key is in
     */
    public static PartitionEpoch epochOfSlots(
            PartitionEpoch like,
            NextOffset lowest,
            NextOffset highest,
            Function<String, NextOffset> inSlotOf) {
        return new PartitionEpoch(
                like.number() + 1,
                like.partition(),
                like.source(),
                Set.of(),
                like.incarnation(),
                lowest,
                new Durable() {
                    @Override
                    public NextOffset highest() {
                        return highest;
                    }

                    @Override
                    public NextOffset of(String rowKey) {
                        return inSlotOf.apply(rowKey);
                    }
                });
    }

    /** A record of texts. */
    public static ConsumerRecord<byte @Nullable [], byte @Nullable []> record(
            TopicPartition partition,
            long offset,
            int leaderEpoch,
            @Nullable String key,
            @Nullable String value) {
        return record(
                partition,
                offset,
                leaderEpoch,
                key == null ? null : key.getBytes(StandardCharsets.UTF_8),
                value == null ? null : value.getBytes(StandardCharsets.UTF_8),
                new RecordHeaders());
    }

    private static ConsumerRecord<byte @Nullable [], byte @Nullable []> record(
            TopicPartition partition,
            long offset,
            int leaderEpoch,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers) {
        return new ConsumerRecord<>(
                partition.topic(),
                partition.partition(),
                offset,
                1_700_000_000_000L + offset,
                TimestampType.CREATE_TIME,
                key == null ? ConsumerRecord.NULL_SIZE : key.length,
                value == null ? ConsumerRecord.NULL_SIZE : value.length,
                key,
                value,
                headers,
                leaderEpoch < 0 ? Optional.empty() : Optional.of(leaderEpoch));
    }

    /** A message whose sequence is its offset, in leader epoch 0. */
    public static Message message(
            PartitionEpoch epoch, long offset, String key, @Nullable String value) {
        return message(epoch, offset, 0, key, value);
    }

    public static Message message(
            PartitionEpoch epoch,
            long offset,
            int leaderEpoch,
            String key,
            @Nullable String value) {
        return Message.of(
                epoch, offset, key, record(epoch.partition(), offset, leaderEpoch, key, value));
    }

    /** A message with headers. */
    public static Message message(
            PartitionEpoch epoch,
            long offset,
            String key,
            byte @Nullable [] value,
            Headers headers) {
        ConsumerRecord<byte @Nullable [], byte @Nullable []> record =
                record(
                        epoch.partition(),
                        offset,
                        0,
                        key.getBytes(StandardCharsets.UTF_8),
                        value,
                        headers);
        return Message.of(epoch, offset, key, record);
    }

    /**
     * Enters a record into a ledger, as the router does.
     *
     * @param valueSize what the record says of its value, which is not made
     * @return its sequence
     */
    public static long receive(OffsetLedger ledger, long offset, int leaderEpoch, int valueSize) {
        PartitionEpoch epoch = epoch(1);
        ConsumerRecord<byte @Nullable [], byte @Nullable []> record =
                new ConsumerRecord<>(
                        epoch.partition().topic(),
                        epoch.partition().partition(),
                        offset,
                        0,
                        TimestampType.CREATE_TIME,
                        0,
                        valueSize,
                        null,
                        null,
                        new RecordHeaders(),
                        Optional.of(leaderEpoch));
        Message message = Message.of(epoch, ledger.nextSequence(), "k", record);
        ledger.receive(message);
        return message.sequence();
    }

    /** The same message with one header more. */
    public static Message withHeader(Message message, String name, byte[] value) {
        byte[] text = Objects.requireNonNull(message.value());
        ConsumerRecord<byte @Nullable [], byte @Nullable []> record =
                record(
                        message.epoch().partition(),
                        message.offset(),
                        message.leaderEpoch(),
                        message.key(),
                        new String(text, StandardCharsets.UTF_8));
        message.headers().forEach(record.headers()::add);
        record.headers().add(name, value);
        return Message.of(message.epoch(), message.sequence(), message.key(), record);
    }

    /** A message that can't have a row. */
    public static Message withoutRow(PartitionEpoch epoch, long offset, String refusal) {
        return Message.withoutRow(
                epoch, offset, refusal, record(epoch.partition(), offset, 0, null, "v"));
    }
}
