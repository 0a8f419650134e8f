package dev.envelope.integration.bench.client;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What is written first: one transaction per record, with its offset in it.
 *
 * <p>Threads: one at a time.
 */
final class RecordLoop implements LoopThread.Loop {

    private final LoopConsumer consumer;
    private final Connection connection;
    private final PreparedStatement offset;
    private final RecordWrite write;
    private final Observer observer;

    private RecordLoop(ClientSpec spec, Observer observer) throws SQLException {
        this.observer = observer;
        connection = spec.database().connect();
        connection.setAutoCommit(false);
        LoopTables tables = new LoopTables(spec.schema());
        offset = connection.prepareStatement(tables.upsertOffset());
        write = new RecordWrite(connection, tables);
        consumer = LoopConsumer.ofGroup(spec);
    }

    static Client started(ClientSpec spec, Observer observer) throws SQLException {
        return LoopThread.start(new RecordLoop(spec, observer));
    }

    @Override
    public void turn() throws SQLException {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll()) {
            if (observer.isDone()) {
                return; // it is measured on the first records of the topic only
            }
            apply(record);
        }
    }

    private void apply(ConsumerRecord<byte[], byte[]> record) throws SQLException {
        write.apply(new String(record.key(), StandardCharsets.UTF_8), record.value());
        offset.setInt(1, record.partition());
        offset.setLong(2, record.offset() + 1);
        offset.executeUpdate();
        connection.commit();
        observer.durable(1, List.of(record));
    }

    @Override
    public void close() throws SQLException {
        consumer.close();
        connection.close();
    }
}
