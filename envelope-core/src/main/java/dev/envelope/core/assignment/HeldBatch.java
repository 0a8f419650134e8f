package dev.envelope.core.assignment;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.Words;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What one poll has brought of a young partition, before it enters the ledger.
 *
 * @param next where the client goes on behind it
 * @param ends where the older partitions ended after it was fetched, once that was asked
 * @param endsSettle whether that was asked when producers knew of the partition
 * @param missing what of the older partitions is not yet done
 */
public record HeldBatch(
        List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> records,
        Optional<OffsetAndMetadata> next,
        Optional<Map<TopicPartition, NextOffset>> ends,
        boolean endsSettle,
        String missing) {

    public static HeldBatch of(
            List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> records,
            Optional<OffsetAndMetadata> next) {
        return new HeldBatch(records, next, Optional.empty(), false, "");
    }

    /** More has come; what the older partitions have is asked anew. */
    public HeldBatch plus(HeldBatch more) {
        List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> all = new ArrayList<>(records);
        all.addAll(more.records);
        return of(all, more.next.or(() -> next));
    }

    public HeldBatch endingAt(Map<TopicPartition, NextOffset> olderEnds, boolean settle) {
        return new HeldBatch(records, next, Optional.of(olderEnds), settle, missing);
    }

    /** A log that ends before that now was truncated: what it has lost is not waited for. */
    public HeldBatch endingNotBehind(Map<TopicPartition, NextOffset> endsNow) {
        Map<TopicPartition, NextOffset> present = new HashMap<>(ends.orElse(Map.of()));
        present.replaceAll(
                (partition, end) -> {
                    NextOffset now = endsNow.getOrDefault(partition, end);
                    return now.compareTo(end) < 0 ? now : end;
                });
        return new HeldBatch(records, next, Optional.of(present), endsSettle, missing);
    }

    /** With what is missing for its release; empty if nothing is. */
    public HeldBatch against(Map<TopicPartition, NextOffset> done) {
        Map<String, String> behind = new TreeMap<>();
        ends.orElse(Map.of())
                .forEach(
                        (partition, end) -> {
                            @Nullable NextOffset at = done.get(partition);
                            if (at == null || !passes(at, end)) {
                                behind.put(
                                        partition.toString(),
                                        (at == null ? "nowhere" : at.offset())
                                                + " of "
                                                + end.offset());
                            }
                        });
        return new HeldBatch(
                records, next, ends, endsSettle, behind.isEmpty() ? "" : behind.toString());
    }

    /** Not so what was done of a log whose end was cut off since, and written anew. */
    private static boolean passes(NextOffset done, NextOffset end) {
        boolean isOfCutEnd =
                done.compareTo(end) > 0
                        && done.leaderEpoch() != NextOffset.NO_EPOCH
                        && done.leaderEpoch() < end.leaderEpoch();
        return done.compareTo(end) >= 0 && !isOfCutEnd;
    }

    public boolean isFree() {
        return ends.isPresent() && missing.isEmpty();
    }

    /** The offset behind its last record. */
    long nextOffset() {
        return next.map(OffsetAndMetadata::offset)
                .orElseGet(() -> NextOffset.after(records.get(records.size() - 1).offset()));
    }

    @Override
    public String toString() {
        return Words.count(records.size(), "record")
                + " held until what was sent before to the older partitions is saved"
                + (missing.isEmpty() ? "" : ": " + missing);
    }
}
