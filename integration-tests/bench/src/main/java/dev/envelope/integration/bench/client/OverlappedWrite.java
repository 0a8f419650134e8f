package dev.envelope.integration.bench.client;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Writes a batch, rows and offsets in one transaction, while its caller makes the next.
 *
 * <p>Threads: one at a time; the connection is the writing thread's.
 */
final class OverlappedWrite {

    private final Connection connection;
    private final PreparedStatement put;
    private final PreparedStatement update;
    private final PreparedStatement offset;
    private final String copy;
    private final boolean copies;
    private final Observer observer;
    private final ExecutorService writer = Executors.newSingleThreadExecutor();
    private CompletableFuture<Void> underWay = CompletableFuture.completedFuture(null);

    OverlappedWrite(Connection connection, LoopTables tables, boolean copies, Observer observer)
            throws SQLException {
        this.connection = connection;
        this.copies = copies;
        this.observer = observer;
        connection.setAutoCommit(false);
        put = connection.prepareStatement(tables.putMany());
        update = connection.prepareStatement(tables.updateMany());
        offset = connection.prepareStatement(tables.upsertOffset());
        copy = tables.copy();
    }

    /**
     * Waits for the end of the last write, and begins this one.
     *
     * @param changed sorted by key
     */
    void begin(List<Account> changed, ConsumerRecords<byte[], byte[]> records) {
        List<Account> fresh = new ArrayList<>();
        List<Account> known = new ArrayList<>();
        for (Account account : changed) {
            (copies && !account.stored ? fresh : known).add(account);
            account.stored = true;
        }
        AccountRows toCopy = AccountRows.of(fresh);
        AccountRows toPut = AccountRows.of(known);
        await();
        underWay = CompletableFuture.runAsync(() -> write(toCopy, toPut, records), writer);
    }

    private void await() {
        underWay.join();
    }

    private void write(
            AccountRows toCopy, AccountRows toPut, ConsumerRecords<byte[], byte[]> records) {
        try {
            toCopy.copy(connection, copy);
            toPut.execute(connection, copies ? update : put);
            saveOffsets(records.nextOffsets());
            connection.commit();
        } catch (SQLException e) {
            throw new CompletionException(e);
        }
        observer.durable(records.count(), records);
    }

    private void saveOffsets(Map<TopicPartition, OffsetAndMetadata> next) throws SQLException {
        for (Map.Entry<TopicPartition, OffsetAndMetadata> entry : next.entrySet()) {
            offset.setInt(1, entry.getKey().partition());
            offset.setLong(2, entry.getValue().offset());
            offset.addBatch();
        }
        offset.executeBatch();
    }

    void close() throws SQLException {
        await();
        writer.shutdown();
        connection.close();
    }
}
