package dev.envelope.integration.bench.client;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What is written first: one transaction per record, with its offset in it.
 *
 * <p>Threads: one at a time.
 */
final class RecordLoop implements LoopThread.Loop {

    private final LoopConsumer consumer;
    private final Connection connection;
    private final PreparedStatement upsert;
    private final PreparedStatement offset;
    private final EventReader reader = new EventReader();
    private final Stopwatch stopwatch;

    RecordLoop(ClientSpec spec, Stopwatch stopwatch) throws SQLException {
        this.stopwatch = stopwatch;
        connection = spec.database().connect();
        connection.setAutoCommit(false);
        LoopTables tables = new LoopTables(spec.schema());
        upsert = connection.prepareStatement(tables.upsertOne());
        offset = connection.prepareStatement(tables.upsertOffset());
        consumer = new LoopConsumer(spec);
    }

    @Override
    public void turn() throws SQLException {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll()) {
            if (stopwatch.isDone()) {
                return; // it is measured on the first records of the topic only
            }
            apply(record);
        }
    }

    private void apply(ConsumerRecord<byte[], byte[]> record) throws SQLException {
        reader.read(record.value());
        upsert.setString(1, new String(record.key(), StandardCharsets.UTF_8));
        upsert.setLong(2, reader.amount());
        upsert.setLong(3, 1);
        upsert.setLong(4, reader.sequence());
        upsert.executeUpdate();
        offset.setInt(1, record.partition());
        offset.setLong(2, record.offset() + 1);
        offset.executeUpdate();
        connection.commit();
        stopwatch.durable(1);
    }

    @Override
    public void close() throws SQLException {
        consumer.close();
        connection.close();
    }
}
