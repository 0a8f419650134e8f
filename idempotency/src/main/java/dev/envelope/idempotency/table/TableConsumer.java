package dev.envelope.idempotency.table;

import dev.envelope.core.api.Environment.Parker;
import dev.envelope.core.source.RefusingConsumer;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A client that hands out the rows of a table. An offset is the number that a row gets when it is
 * handed out, so a position is where the numbers go on, wherever that is; each time a position is
 * set, all that is not done is read anew. A commit says that rows need not be kept in mind.
 *
 * <p>Threads: poll thread only, but for {@link #readings} (a volatile reference).
 */
final class TableConsumer extends RefusingConsumer<byte @Nullable [], byte @Nullable []> {

    private final Parker parker;
    private final IntSupplier slots;
    private final Set<TopicPartition> paused = new HashSet<>();
    private Set<TopicPartition> assigned = Set.of();
    private volatile Map<TopicPartition, Reading> readings = Map.of(); // replaced, never changed

    /**
     * @param parker is unparked when there is something to poll
     * @param slots among which the table is divided now
     */
    TableConsumer(Parker parker, IntSupplier slots) {
        this.parker = parker;
        this.slots = slots;
    }

    /** Any thread: what is to be read. */
    Collection<Reading> readings() {
        return readings.values();
    }

    /** Any thread: there is something to poll. */
    void wake() {
        parker.unpark();
    }

    @Override
    public Set<TopicPartition> assignment() {
        return assigned;
    }

    @Override
    public void assign(Collection<TopicPartition> partitions) {
        assigned = Set.copyOf(partitions);
        paused.retainAll(assigned);
        Map<TopicPartition, Reading> kept = new LinkedHashMap<>(readings);
        kept.keySet().retainAll(assigned);
        readings = kept;
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        Map<TopicPartition, Reading> all = new LinkedHashMap<>(readings);
        all.put(partition, new Reading(partition, slots.getAsInt()));
        readings = all;
    }

    @Override
    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        seek(partition, offset.offset());
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        paused.addAll(partitions);
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        paused.removeAll(partitions);
    }

    @Override
    public Set<TopicPartition> paused() {
        return Set.copyOf(paused);
    }

    @Override
    public ConsumerRecords<byte @Nullable [], byte @Nullable []> poll(Duration timeout) {
        ConsumerRecords<byte @Nullable [], byte @Nullable []> records = take();
        if (records.isEmpty()) {
            parker.park(timeout.toNanos());
            records = take();
        }
        return records;
    }

    private ConsumerRecords<byte @Nullable [], byte @Nullable []> take() {
        Map<TopicPartition, List<ConsumerRecord<byte @Nullable [], byte @Nullable []>>> taken =
                new LinkedHashMap<>();
        readings.forEach(
                (partition, reading) -> {
                    if (!paused.contains(partition)) {
                        var records = reading.take();
                        if (!records.isEmpty()) {
                            taken.put(partition, records);
                        }
                    }
                });
        return new ConsumerRecords<>(taken, Map.of());
    }

    @Override
    public void commitAsync(
            Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        committed(offsets);
        callback.onComplete(offsets, null);
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        committed(offsets);
    }

    private void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach(
                (partition, next) -> {
                    @Nullable Reading reading = readings.get(partition);
                    if (reading != null) {
                        reading.committed(next.offset());
                    }
                });
    }

    @Override
    public OptionalLong currentLag(TopicPartition partition) {
        @Nullable Reading reading = readings.get(partition);
        long lag = reading == null ? -1 : reading.lag();
        return lag < 0 ? OptionalLong.empty() : OptionalLong.of(lag);
    }

    /** There is no group, and so no generation of one. */
    @Override
    @SuppressWarnings("removal") // Kafka 4.3 has no other way to make one
    public ConsumerGroupMetadata groupMetadata() {
        return new ConsumerGroupMetadata("table");
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        return Map.of();
    }

    @Override
    public void close(CloseOptions options) {
        readings = Map.of();
    }
}
