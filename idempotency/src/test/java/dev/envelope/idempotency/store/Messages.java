package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.table.TableRow;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** Messages for tests of stores. */
public final class Messages {

    private Messages() {}

    /** A change of a key whose handler wants something to happen. */
    public static Change change(String key, long fromVersion, HandlerEffects effects) {
        return new Change(
                key,
                fromVersion,
                "{}".getBytes(StandardCharsets.UTF_8),
                Marks.NONE,
                null,
                0,
                new Change.Beside(List.of(), List.of(), effects));
    }

    /** A parked message of a row, or of none. */
    public static ParkedMessage parked(int source, long offset, @Nullable String rowKey) {
        return parked(source, offset, 5, rowKey);
    }

    /** The same of a leader epoch: behind a cut there is another message at that offset. */
    static ParkedMessage parked(int source, long offset, int leaderEpoch, @Nullable String rowKey) {
        PartitionEpoch epoch =
                new PartitionEpoch(
                        1, new TopicPartition("orders", 0), source, new Incarnation("unused"));
        RecordHeaders headers = new RecordHeaders();
        headers.add("trace", new byte[] {0, -1, 7});
        headers.add("trace", null);
        byte[] value = ("value " + offset).getBytes(StandardCharsets.UTF_8);
        ConsumerRecord<byte @Nullable [], byte @Nullable []> record =
                new ConsumerRecord<>(
                        "orders",
                        0,
                        offset,
                        -1L,
                        TimestampType.CREATE_TIME,
                        3,
                        value.length,
                        new byte[] {0, -1, 'k'},
                        value,
                        headers,
                        Optional.of(leaderEpoch));
        Message message =
                rowKey == null
                        ? Message.withoutRow(epoch, 0, "no key", record)
                        : Message.of(epoch, 0, rowKey, record);
        return new ParkedMessage(message, rowKey, "undecodable", "no JSON: \0\ud800", 1);
    }

    /** A row of a table, with the number that it has got when it was read. */
    static Message row(int source, long number, String id, String value) {
        PartitionEpoch epoch =
                new PartitionEpoch(
                        1, new TopicPartition("table:t", 0), source, new Incarnation("unused"));
        ConsumerRecord<byte @Nullable [], byte @Nullable []> record =
                new ConsumerRecord<>(
                        "table:t",
                        0,
                        number,
                        -1L,
                        TimestampType.CREATE_TIME,
                        1,
                        value.length(),
                        new byte[] {'k'},
                        value.getBytes(StandardCharsets.UTF_8),
                        new RecordHeaders().add(TableRow.ID, id.getBytes(StandardCharsets.UTF_8)),
                        Optional.empty());
        return Message.of(epoch, 0, "k", record);
    }
}
