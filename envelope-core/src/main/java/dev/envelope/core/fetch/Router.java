package dev.envelope.core.fetch;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.RowKey;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.assignment.Assigned;
import dev.envelope.core.assignment.AssignedPartition;
import dev.envelope.core.assignment.AssignedPartition.Flowing;
import dev.envelope.core.key.KeyFormat.KeyRefused;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.key.RowKeys.DecodedKey;
import dev.envelope.core.mailbox.Shards;
import dev.envelope.core.offset.Commitment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Gives every shard its messages of a poll: enters the records into their ledgers, decodes their
 * keys, and posts one list per shard.
 *
 * <p>Threads: poll thread only.
 */
final class Router {

    private final Assigned assignment;
    private final Shards shards;
    private final RowKeys keys;
    private final Telemetry telemetry;

    Router(Assigned assignment, Shards shards, RowKeys keys, Telemetry telemetry) {
        this.assignment = assignment;
        this.shards = shards;
        this.keys = keys;
        this.telemetry = telemetry;
    }

    /** Those records, with the keys of those that were decoded before. */
    void route(KeyDecoding.Keyed keyed, long nanoTime) {
        ConsumerRecords<byte @Nullable [], byte @Nullable []> records = keyed.records();
        if (!records.isEmpty()) {
            @Nullable List<Message>[] lists = newLists();
            int expected = 2 * records.count() / shards.count() + 4;
            long bytes = 0;
            for (TopicPartition partition : records.partitions()) {
                @Nullable Commitment commitment = flowing(partition);
                if (commitment != null) {
                    commitment.ledger().arriving(nanoTime);
                    bytes +=
                            split(
                                    records.records(partition),
                                    keyed.keys().get(partition),
                                    commitment,
                                    lists,
                                    expected);
                }
                // Otherwise nobody has asked for it yet: it is read again from where it is sought.
            }
            post(lists);
            telemetry.polled(records.count(), bytes);
        }
        for (Map.Entry<TopicPartition, OffsetAndMetadata> next : records.nextOffsets().entrySet()) {
            @Nullable Commitment commitment = flowing(next.getKey());
            if (commitment != null) {
                commitment.ledger().positionIs(NextOffset.of(next.getValue()));
            }
        }
    }

    private @Nullable Commitment flowing(TopicPartition partition) {
        return assignment
                .get(partition)
                .map(AssignedPartition::phase)
                .map(phase -> phase instanceof Flowing flowing ? flowing.commitment() : null)
                .orElse(null);
    }

    private long split(
            List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> records,
            @Nullable List<DecodedKey> decoded,
            Commitment commitment,
            @Nullable List<Message>[] lists,
            int expected) {
        long sum = 0;
        for (int i = 0; i < records.size(); i++) {
            ConsumerRecord<byte @Nullable [], byte @Nullable []> record = records.get(i);
            int leaderEpoch = record.leaderEpoch().orElse(NextOffset.NO_EPOCH);
            if (commitment.isDoneAhead(record.offset(), leaderEpoch)) {
                continue; // for the ledger it is a gap, which counts as done
            }
            @Nullable DecodedKey key = decoded == null ? null : decoded.get(i);
            Message message = message(record, key, commitment);
            commitment.ledger().receive(message);
            int shard = shards.numberOf(message.key());
            List<Message> list = lists[shard];
            if (list == null) {
                list = new ArrayList<>(expected);
                lists[shard] = list;
            }
            list.add(message);
            sum += message.heldBytes();
        }
        return sum;
    }

    private Message message(
            ConsumerRecord<byte @Nullable [], byte @Nullable []> record,
            @Nullable DecodedKey decoded,
            Commitment commitment) {
        long sequence = commitment.ledger().nextSequence();
        try {
            RowKey key = decoded == null ? keys.rowOf(record) : keys.rowOf(record, decoded);
            return Message.of(commitment.epoch(), sequence, key, record);
        } catch (KeyRefused e) {
            String why = String.valueOf(e.getMessage());
            return Message.withoutRow(commitment.epoch(), sequence, why, record);
        }
    }

    private void post(@Nullable List<Message>[] lists) {
        for (int i = 0; i < lists.length; i++) {
            List<Message> list = lists[i];
            if (list != null) {
                shards.get(i).post(list);
            }
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private @Nullable List<Message>[] newLists() {
        return new List[shards.count()];
    }
}
