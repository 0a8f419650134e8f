package dev.envelope.integration.bench.client;

import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Sees, inside the Kafka client of every contestant, when a poll brings records.
 *
 * <p>Threads: poll thread only.
 */
public final class FirstPoll implements ConsumerInterceptor<byte[], byte[]> {

    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
        Stopwatch.OF_THIS_PROCESS.polled();
        return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void configure(Map<String, ?> configs) {}

    @Override
    public void close() {}
}
