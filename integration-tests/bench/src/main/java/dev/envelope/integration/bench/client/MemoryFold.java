package dev.envelope.integration.bench.client;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/**
 * A limit: two consumers that poll, parse and fold in memory, and save nothing. After the clock has
 * stopped the accounts go into the table, only to be looked at.
 *
 * <p>Threads: one at a time.
 */
final class MemoryFold implements LoopThread.Loop {

    private static final int CONSUMERS = 2;

    private final ClientSpec spec;
    private final LoopConsumer consumer;
    private final Observer observer;
    private final BookingReader reader = new BookingReader();
    private final Map<String, Account> accounts = new HashMap<>();

    private MemoryFold(ClientSpec spec, Observer observer, int place) {
        this.spec = spec;
        this.observer = observer;
        consumer = LoopConsumer.ofPart(spec, place, CONSUMERS);
    }

    static Client started(ClientSpec spec, Observer observer) {
        List<MemoryFold> loops = new ArrayList<>();
        for (int place = 0; place < CONSUMERS; place++) {
            loops.add(new MemoryFold(spec, observer, place));
        }
        return LoopThread.start(loops);
    }

    @Override
    public void turn() {
        ConsumerRecords<byte[], byte[]> records = consumer.poll();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            reader.read(record.value());
            accounts.computeIfAbsent(key, Account::new).apply(reader.sequence(), reader.amount());
        }
        observer.durable(records.count(), records);
    }

    @Override
    public void close() throws SQLException {
        consumer.close();
        try (Connection connection = spec.database().connect()) {
            AccountRows.of(new ArrayList<>(accounts.values()))
                    .copy(connection, new LoopTables(spec.schema()).copy());
        }
    }
}
