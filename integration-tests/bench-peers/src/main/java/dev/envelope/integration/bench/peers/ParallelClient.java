package dev.envelope.integration.bench.peers;

import dev.envelope.integration.bench.client.AccountRows;
import dev.envelope.integration.bench.client.Balance;
import dev.envelope.integration.bench.client.Blocking;
import dev.envelope.integration.bench.client.BookingReader;
import dev.envelope.integration.bench.client.Client;
import dev.envelope.integration.bench.client.ClientSpec;
import dev.envelope.integration.bench.client.ConsumerDefaults;
import dev.envelope.integration.bench.client.LoopTables;
import dev.envelope.integration.bench.client.Observer;
import dev.envelope.integration.bench.client.RecordWrite;
import dev.envelope.integration.bench.client.Starter;

import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.CommitMode;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import io.confluent.parallelconsumer.PollContext;
import io.confluent.parallelconsumer.internal.DrainingCloseable.DrainingMode;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Confluent's Parallel Consumer in the order of keys. It keeps no state and knows no duplicates:
 * what is redelivered counts twice.
 *
 * <p>Threads: thread-safe (the processor is; each of its threads has a session of its own).
 */
final class ParallelClient implements Client {

    private static final int BATCH = 500;
    private static final int BATCHES = 4;

    private final ParallelStreamProcessor<String, byte[]> processor;

    private ParallelClient(ParallelStreamProcessor<String, byte[]> processor) {
        this.processor = processor;
    }

    static Starter withTransactionPerRecord(int threads) {
        return (spec, observer) -> start(spec, observer, threads, 1);
    }

    static Starter withBatches() {
        return (spec, observer) -> start(spec, observer, BATCHES, BATCH);
    }

    private static Client start(ClientSpec spec, Observer observer, int threads, int batch)
            throws SQLException {
        // With byte arrays for keys it would know no two records of the same key.
        KafkaConsumer<String, byte[]> consumer =
                new KafkaConsumer<>(
                        ConsumerDefaults.of(spec),
                        new StringDeserializer(),
                        new ByteArrayDeserializer());
        ParallelStreamProcessor<String, byte[]> processor =
                ParallelStreamProcessor.createEosStreamProcessor(
                        ParallelConsumerOptions.<String, byte[]>builder()
                                .consumer(consumer)
                                .ordering(ProcessingOrder.KEY)
                                .commitMode(CommitMode.PERIODIC_CONSUMER_ASYNCHRONOUS)
                                .maxConcurrency(threads)
                                .batchSize(batch)
                                .build());
        processor.subscribe(List.of(spec.topic()));
        Queue<Session> sessions = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < threads; i++) {
            sessions.add(new Session(spec, observer));
        }
        processor.poll(work(sessions, observer));
        return new ParallelClient(processor);
    }

    private static Consumer<PollContext<String, byte[]>> work(
            Queue<Session> sessions, Observer observer) {
        return context -> {
            if (!observer.isDone()) {
                Session session = sessions.remove();
                try {
                    session.apply(context.getConsumerRecordsFlattened());
                } catch (SQLException | RuntimeException e) {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(1);
                } finally {
                    sessions.add(session);
                }
            }
        };
    }

    @Override
    public void close() {
        processor.close(Duration.ofSeconds(10), DrainingMode.DONT_DRAIN);
    }

    /**
     * A connection with its statements.
     *
     * <p>Threads: one at a time.
     */
    private static final class Session {

        private final Connection connection;
        private final RecordWrite one;
        private final PreparedStatement many;
        private final BookingReader reader = new BookingReader();
        private final Observer observer;
        private final int blockMillis;

        Session(ClientSpec spec, Observer observer) throws SQLException {
            this.observer = observer;
            blockMillis = spec.blockMillis();
            connection = spec.database().connect(); // commits by itself after each statement
            LoopTables tables = new LoopTables(spec.schema());
            one = new RecordWrite(connection, tables);
            many = connection.prepareStatement(tables.addMany());
        }

        void apply(List<ConsumerRecord<String, byte[]>> records) throws SQLException {
            for (int i = 0; i < records.size(); i++) {
                Blocking.forMillis(blockMillis);
            }
            if (records.size() == 1) {
                one.apply(records.get(0).key(), records.get(0).value());
            } else {
                applyMany(records);
            }
            observer.durable(records.size(), records);
        }

        /** In the order of keys a batch has each key once; if it had not, Postgres would refuse. */
        private void applyMany(List<ConsumerRecord<String, byte[]>> records) throws SQLException {
            List<ConsumerRecord<String, byte[]>> sorted = new ArrayList<>(records);
            sorted.sort(Comparator.comparing(ConsumerRecord::key));
            AccountRows rows = AccountRows.ofSize(sorted.size());
            for (int i = 0; i < sorted.size(); i++) {
                reader.read(sorted.get(i).value());
                long sequence = reader.sequence();
                rows.set(
                        i,
                        sorted.get(i).key(),
                        reader.amount(),
                        1,
                        sequence,
                        Balance.next(0, sequence));
            }
            rows.execute(connection, many);
        }
    }
}
