package dev.envelope.integration.cluster;

import dev.envelope.core.api.Telemetry;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.TopicPartition;

/**
 * What the tests want to know of an engine.
 *
 * <p>Threads: thread-safe (adders).
 */
final class Counts implements Telemetry {

    private final LongAdder duplicates = new LongAdder();
    private final LongAdder saved = new LongAdder();
    private final LongAdder gone = new LongAdder();

    @Override
    public void duplicates(int messages) {
        duplicates.add(messages);
    }

    @Override
    public void saved(int rows, int messages) {
        saved.add(messages);
    }

    @Override
    public void gap(TopicPartition partition, long records) {
        gone.add(records);
    }

    long duplicateMessages() {
        return duplicates.sum();
    }

    long savedMessages() {
        return saved.sum();
    }

    long goneRecords() {
        return gone.sum();
    }
}
