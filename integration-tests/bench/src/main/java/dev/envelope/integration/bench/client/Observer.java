package dev.envelope.integration.bench.client;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;

/**
 * What a contestant tells of its commits: to the stopwatch always, record by record only in the
 * runs that ask for it.
 *
 * <p>Threads: thread-safe (its parts are).
 */
public final class Observer {

    private final Stopwatch stopwatch;
    private final ClientSpec.Watch watch;
    private final Latencies latencies = new Latencies();
    private final Saves saves = new Saves();

    Observer(Stopwatch stopwatch, ClientSpec.Watch watch) {
        this.stopwatch = stopwatch;
        this.watch = watch;
    }

    /** Whether {@link #each} has a listener. */
    public boolean wantsEach() {
        return watch.latencies() || watch.saves();
    }

    /** The transaction of so many records has committed. */
    public void durable(long records) {
        stopwatch.durable(records);
    }

    /** The transaction of these records has committed. */
    public void durable(int records, Iterable<? extends ConsumerRecord<?, ?>> all) {
        if (wantsEach()) {
            long now = Micros.now();
            for (ConsumerRecord<?, ?> record : all) {
                each(record.partition(), record.headers(), now);
            }
        }
        durable(records);
    }

    /** A record of a transaction that has committed at this time. */
    void each(int partition, Headers headers, long nowMicros) {
        if (watch.latencies()) {
            latencies.durable(headers, nowMicros);
        }
        if (watch.saves()) {
            saves.saved(partition, nowMicros);
        }
    }

    /** Messages were found to be known already. */
    void duplicates(int messages) {
        if (watch.duplicates()) {
            durable(messages);
        }
    }

    /** Whether the run is over: what is applied from now on does not count. */
    public boolean isDone() {
        return stopwatch.isDone();
    }

    /** A contestant that polls by other means than the client's says that it has begun. */
    public void begun() {
        stopwatch.polled();
    }

    void tell(Properties result, Path savesFile) throws IOException {
        if (watch.latencies()) {
            latencies.tell(result);
        }
        if (watch.saves()) {
            saves.write(savesFile);
        }
    }
}
