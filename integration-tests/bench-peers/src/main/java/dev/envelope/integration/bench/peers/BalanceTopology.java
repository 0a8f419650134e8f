package dev.envelope.integration.bench.peers;

import dev.envelope.integration.bench.client.Balance;
import dev.envelope.integration.bench.client.Blocking;
import dev.envelope.integration.bench.client.BookingReader;
import dev.envelope.integration.bench.client.ClientSpec;

import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.KeyValueStore;

import java.nio.ByteBuffer;

/**
 * The ledger as an aggregation of Kafka Streams, its state 32 bytes.
 *
 * <p>Threads: immutable.
 */
final class BalanceTopology {

    static final String STORE = "ledger";

    private BalanceTopology() {}

    /** Told of each record before it is aggregated. */
    interface Progress {

        /** Returns whether it is the last one of its partition. */
        boolean processed(int partition, long offset);
    }

    static Topology of(ClientSpec spec, Progress progress) {
        StreamsBuilder builder = new StreamsBuilder();
        ThreadLocal<BookingReader> readers = ThreadLocal.withInitial(BookingReader::new);
        int blockMillis = spec.blockMillis();
        builder.stream(spec.topic(), Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()))
                .processValues(() -> new LastCommits(progress))
                .groupByKey(Grouped.with(Serdes.ByteArray(), Serdes.ByteArray()))
                .aggregate(
                        () -> new Balance(0, 0, 0, 0),
                        (key, value, ledger) -> {
                            Blocking.forMillis(blockMillis);
                            return next(ledger, readers.get(), value);
                        },
                        Materialized.<byte[], Balance, KeyValueStore<Bytes, byte[]>>as(STORE)
                                .withKeySerde(Serdes.ByteArray())
                                .withValueSerde(balanceSerde())
                                .withCachingEnabled());
        return builder.build();
    }

    private static Balance next(Balance before, BookingReader reader, byte[] value) {
        reader.read(value);
        return new Balance(
                before.balance() + reader.amount(),
                before.count() + 1,
                reader.sequence(),
                Balance.next(before.hash(), reader.sequence()));
    }

    private static Serde<Balance> balanceSerde() {
        return Serdes.serdeFrom(
                (topic, ledger) ->
                        ByteBuffer.allocate(4 * Long.BYTES)
                                .putLong(ledger.balance())
                                .putLong(ledger.count())
                                .putLong(ledger.last())
                                .putLong(ledger.hash())
                                .array(),
                (topic, bytes) -> {
                    ByteBuffer in = ByteBuffer.wrap(bytes);
                    return new Balance(in.getLong(), in.getLong(), in.getLong(), in.getLong());
                });
    }

    /** Asks for a commit at the last record of a partition, so that no interval is waited for. */
    private static final class LastCommits
            extends ContextualFixedKeyProcessor<byte[], byte[], byte[]> {

        private final Progress progress;

        LastCommits(Progress progress) {
            this.progress = progress;
        }

        @Override
        public void process(FixedKeyRecord<byte[], byte[]> record) {
            context()
                    .recordMetadata()
                    .filter(place -> progress.processed(place.partition(), place.offset()))
                    .ifPresent(last -> context().commit());
            context().forward(record);
        }
    }
}
