package dev.envelope.integration.bench.peers;

import dev.envelope.integration.bench.client.Balance;
import dev.envelope.integration.bench.client.Blocking;
import dev.envelope.integration.bench.client.BookingReader;
import dev.envelope.integration.bench.client.Client;
import dev.envelope.integration.bench.client.ClientSpec;
import dev.envelope.integration.bench.client.ConsumerDefaults;
import dev.envelope.integration.bench.client.LoopTables;
import dev.envelope.integration.bench.client.Observer;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.transaction.support.TransactionTemplate;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Spring Kafka: a batch listener, which in one transaction writes the records' places into a dedupe
 * table, folds those that are new by key, and adds them to the rows with a JDBC batch.
 *
 * <p>Threads: thread-safe (the container is).
 */
final class SpringClient implements Client {

    private static final int CONSUMERS = 2;

    private final ConcurrentMessageListenerContainer<String, byte[]> container;
    private final OneConnectionEach connections;

    private SpringClient(
            ConcurrentMessageListenerContainer<String, byte[]> container,
            OneConnectionEach connections) {
        this.container = container;
        this.connections = connections;
    }

    static Client start(ClientSpec spec, Observer observer) {
        OneConnectionEach connections = new OneConnectionEach(spec.database(), CONSUMERS);
        ContainerProperties properties = new ContainerProperties(spec.topic());
        properties.setMessageListener(new Listener(spec, observer, connections));
        properties.setAckMode(ContainerProperties.AckMode.BATCH);
        properties.setPollTimeout(100);
        var container =
                new ConcurrentMessageListenerContainer<>(
                        new DefaultKafkaConsumerFactory<>(
                                ConsumerDefaults.of(spec),
                                new StringDeserializer(),
                                new ByteArrayDeserializer()),
                        properties);
        container.setConcurrency(CONSUMERS);
        container.start();
        return new SpringClient(container, connections);
    }

    @Override
    public void close() {
        container.stop();
        connections.close();
    }

    /** Bookings of an account that a batch brings together. */
    private static final class Sum {
        private long balance;
        private long count;
        private long last;
        private long hash;
        private long factor = 1;

        void add(long sequence, long amount) {
            balance += amount;
            count++;
            last = sequence;
            hash = Balance.next(hash, sequence);
            factor = factor * Balance.FACTOR % Balance.PRIME;
        }

        Object[] parameters(String key) {
            return new Object[] {key, balance, count, last, hash, factor};
        }
    }

    /** The place of a record. */
    private record Place(int partition, long offset) {}

    /**
     * The listener of both consumers.
     *
     * <p>Threads: thread-safe (it holds nothing but what is).
     */
    private static final class Listener implements BatchMessageListener<String, byte[]> {

        private final Observer observer;
        private final JdbcTemplate jdbc;
        private final TransactionTemplate transaction;
        private final LoopTables tables;
        private final int blockMillis;

        Listener(ClientSpec spec, Observer observer, OneConnectionEach connections) {
            this.observer = observer;
            jdbc = new JdbcTemplate(connections);
            transaction = new TransactionTemplate(new DataSourceTransactionManager(connections));
            tables = new LoopTables(spec.schema());
            blockMillis = spec.blockMillis();
        }

        @Override
        public void onMessage(List<ConsumerRecord<String, byte[]>> records) {
            transaction.executeWithoutResult(status -> save(records));
            observer.durable(records.size(), records);
        }

        private void save(List<ConsumerRecord<String, byte[]>> records) {
            Set<Place> unseen = see(records);
            Map<String, Sum> sums = new TreeMap<>();
            BookingReader reader = new BookingReader();
            for (ConsumerRecord<String, byte[]> record : records) {
                if (unseen.contains(new Place(record.partition(), record.offset()))) {
                    Blocking.forMillis(blockMillis);
                    reader.read(record.value());
                    sums.computeIfAbsent(record.key(), key -> new Sum())
                            .add(reader.sequence(), reader.amount());
                }
            }
            List<Object[]> rows = new ArrayList<>(sums.size());
            sums.forEach((key, sum) -> rows.add(sum.parameters(key)));
            jdbc.batchUpdate(tables.addOne(), rows);
        }

        /** Which have not been seen before; from now on they have. */
        private Set<Place> see(List<ConsumerRecord<String, byte[]>> records) {
            int[] partitions = new int[records.size()];
            long[] offsets = new long[records.size()];
            for (int i = 0; i < partitions.length; i++) {
                partitions[i] = records.get(i).partition();
                offsets[i] = records.get(i).offset();
            }
            Set<Place> unseen = jdbc.execute((Connection it) -> see(it, partitions, offsets));
            return unseen == null ? Set.of() : unseen;
        }

        private Set<Place> see(Connection connection, int[] partitions, long[] offsets)
                throws SQLException {
            Set<Place> unseen = new HashSet<>(2 * partitions.length);
            try (PreparedStatement see = connection.prepareStatement(tables.see())) {
                see.setObject(1, partitions);
                see.setObject(2, offsets);
                try (ResultSet row = see.executeQuery()) {
                    while (row.next()) {
                        unseen.add(new Place(row.getInt(1), row.getLong(2)));
                    }
                }
            }
            return unseen;
        }
    }
}
