package dev.envelope.integration.bench.client;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A good loop written by hand: a poll of 5,000 records, folded by key in memory, one upsert of many
 * rows sorted by key, the offsets in the same transaction. What it adds is added by the database,
 * so nothing is loaded and nothing cached.
 *
 * <p>What it does not have: rows checked by version, retries, anything for a message at fault, an
 * overlap of polling and saving, a rebalance that stops the other instance's last transaction.
 *
 * <p>Threads: one at a time.
 */
final class BatchLoop implements LoopThread.Loop {

    private static final class Sums implements Comparable<Sums> {
        private final String key;
        private long balance;
        private long count;
        private long last;

        Sums(String key) {
            this.key = key;
        }

        @Override
        public int compareTo(Sums other) {
            return key.compareTo(other.key);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Sums that && key.equals(that.key);
        }

        @Override
        public int hashCode() {
            return key.hashCode();
        }
    }

    private final LoopConsumer consumer;
    private final Connection connection;
    private final PreparedStatement upsert;
    private final PreparedStatement offsets;
    private final EventReader reader = new EventReader();
    private final Stopwatch stopwatch;

    BatchLoop(ClientSpec spec, Stopwatch stopwatch) throws SQLException {
        this.stopwatch = stopwatch;
        connection = spec.database().connect();
        connection.setAutoCommit(false);
        LoopTables tables = new LoopTables(spec.schema());
        upsert = connection.prepareStatement(tables.upsertMany());
        offsets = connection.prepareStatement(tables.upsertOffset());
        consumer = new LoopConsumer(spec);
    }

    @Override
    public void turn() throws SQLException {
        ConsumerRecords<byte[], byte[]> records = consumer.poll();
        if (!records.isEmpty()) {
            save(fold(records));
            saveOffsets(records.nextOffsets());
            connection.commit();
            stopwatch.durable(records.count());
        }
    }

    private Sums[] fold(ConsumerRecords<byte[], byte[]> records) {
        Map<String, Sums> byKey = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            Sums sums = byKey.computeIfAbsent(key, Sums::new);
            reader.read(record.value());
            sums.balance += reader.amount();
            sums.count++;
            sums.last = reader.sequence();
        }
        Sums[] sorted = byKey.values().toArray(Sums[]::new);
        Arrays.sort(sorted);
        return sorted;
    }

    private void save(Sums[] rows) throws SQLException {
        String[] keys = new String[rows.length];
        long[] balances = new long[rows.length];
        long[] counts = new long[rows.length];
        long[] lasts = new long[rows.length];
        for (int i = 0; i < rows.length; i++) {
            keys[i] = rows[i].key;
            balances[i] = rows[i].balance;
            counts[i] = rows[i].count;
            lasts[i] = rows[i].last;
        }
        upsert.setArray(1, connection.createArrayOf("text", keys));
        upsert.setObject(2, balances);
        upsert.setObject(3, counts);
        upsert.setObject(4, lasts);
        upsert.executeUpdate();
    }

    private void saveOffsets(Map<TopicPartition, OffsetAndMetadata> next) throws SQLException {
        for (Map.Entry<TopicPartition, OffsetAndMetadata> entry : next.entrySet()) {
            offsets.setInt(1, entry.getKey().partition());
            offsets.setLong(2, entry.getValue().offset());
            offsets.addBatch();
        }
        offsets.executeBatch();
    }

    @Override
    public void close() throws SQLException {
        consumer.close();
        connection.close();
    }
}
