package dev.envelope.integration.bench.peers;

import dev.envelope.integration.bench.client.AccountRows;
import dev.envelope.integration.bench.client.Balance;
import dev.envelope.integration.bench.client.Client;
import dev.envelope.integration.bench.client.ClientSpec;
import dev.envelope.integration.bench.client.ConsumerDefaults;
import dev.envelope.integration.bench.client.FirstPoll;
import dev.envelope.integration.bench.client.LoopTables;
import dev.envelope.integration.bench.client.Observer;
import dev.envelope.integration.bench.client.Starter;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ValueAndTimestamp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Kafka Streams: an aggregation with its state in RocksDB and a changelog topic. Nothing of it is
 * in Postgres, so it does less than the others; after the clock has stopped its accounts go into
 * the table, only to be looked at. A record is durable when its offset is committed.
 *
 * <p>Threads: thread-safe (Kafka Streams is).
 */
final class StreamsClient implements Client {

    private static final Duration CLOSE = Duration.ofSeconds(20);
    private static final int COPIED_AT_ONCE = 50_000;

    private final ClientSpec spec;
    private final KafkaStreams streams;
    private final CommittedOffsets committed;

    private StreamsClient(ClientSpec spec, KafkaStreams streams, CommittedOffsets committed) {
        this.spec = spec;
        this.streams = streams;
        this.committed = committed;
    }

    static Starter withGuarantee(String guarantee) {
        return (spec, observer) -> start(spec, observer, guarantee);
    }

    private static Client start(ClientSpec spec, Observer observer, String guarantee) {
        CommittedOffsets committed = new CommittedOffsets(spec, observer);
        KafkaStreams streams =
                new KafkaStreams(
                        BalanceTopology.of(spec, committed::processed), settings(spec, guarantee));
        streams.setUncaughtExceptionHandler(
                e -> {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(1);
                    return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
                });
        streams.start();
        return new StreamsClient(spec, streams, committed);
    }

    private static Properties settings(ClientSpec spec, String guarantee) {
        Map<String, Object> consumer = ConsumerDefaults.of(spec);
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, spec.group());
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, spec.bootstrapServers());
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 64L << 20);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 1_000);
        settings.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 1);
        settings.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
        settings.put(
                StreamsConfig.consumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG),
                consumer.get(ConsumerConfig.MAX_POLL_RECORDS_CONFIG));
        settings.put(
                StreamsConfig.mainConsumerPrefix(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG),
                FirstPoll.class.getName());
        // A batch of the producer holds what a commit flushes.
        settings.put(StreamsConfig.producerPrefix("batch.size"), 256 << 10);
        settings.put(StreamsConfig.producerPrefix("linger.ms"), 20);
        try {
            settings.put(
                    StreamsConfig.STATE_DIR_CONFIG,
                    Files.createTempDirectory("streams").toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return settings;
    }

    @Override
    public void close() throws SQLException, InterruptedException {
        try (Connection connection = spec.database().connect()) {
            copyAccounts(connection);
        }
        streams.close(CLOSE);
        streams.cleanUp();
        committed.close();
    }

    private void copyAccounts(Connection connection) throws SQLException {
        var store =
                streams.store(
                        StoreQueryParameters.fromNameAndType(
                                BalanceTopology.STORE,
                                QueryableStoreTypes.<byte[], Balance>timestampedKeyValueStore()));
        String copy = new LoopTables(spec.schema()).copy();
        List<KeyValue<byte[], ValueAndTimestamp<Balance>>> some = new ArrayList<>();
        try (KeyValueIterator<byte[], ValueAndTimestamp<Balance>> all = store.all()) {
            while (all.hasNext()) {
                some.add(all.next());
                if (some.size() == COPIED_AT_ONCE || !all.hasNext()) {
                    rows(some).copy(connection, copy);
                    some.clear();
                }
            }
        }
    }

    private static AccountRows rows(List<KeyValue<byte[], ValueAndTimestamp<Balance>>> accounts) {
        AccountRows rows = AccountRows.ofSize(accounts.size());
        for (int i = 0; i < accounts.size(); i++) {
            Balance balance = accounts.get(i).value.value();
            String key = new String(accounts.get(i).key, StandardCharsets.UTF_8);
            rows.set(i, key, balance.balance(), balance.count(), balance.last(), balance.hash());
        }
        return rows;
    }
}
