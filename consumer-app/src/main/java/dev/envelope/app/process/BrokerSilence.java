package dev.envelope.app.process;

import dev.envelope.app.ops.ProcessStatus;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures how long no broker has answered, by the Kafka client's count of responses.
 *
 * <p>A broker that accepts connections and never responds causes no error for half a minute, and
 * then only one that the client retries. But even an idle consumer gets responses all the time: to
 * fetches twice a second, to heartbeats every few seconds.
 *
 * <p>Threads: one thread samples, each second; the time of the last response is volatile.
 */
final class BrokerSilence {

    private static final Logger log = LoggerFactory.getLogger(BrokerSilence.class);

    private final Supplier<Map<MetricName, ? extends Metric>> metrics;
    private final BooleanSupplier isReading;
    private final LongSupplier nanoTime;
    private long answers = -1;
    private boolean isSilent;
    private volatile long lastAnswer;

    /**
     * @param isReading whether the client is polled at all; one that waits for a slot is not
     */
    BrokerSilence(
            Supplier<Map<MetricName, ? extends Metric>> metrics,
            BooleanSupplier isReading,
            LongSupplier nanoTime) {
        this.metrics = metrics;
        this.isReading = isReading;
        this.nanoTime = nanoTime;
        this.lastAnswer = nanoTime.getAsLong();
    }

    /** Takes a sample of the count. */
    void sample() {
        Map<MetricName, ? extends Metric> present = metrics.get();
        if (present.isEmpty()) {
            lastAnswer = nanoTime.getAsLong(); // there is no broker
            return;
        }
        long now = answers(present);
        long silentFor = nanoTime.getAsLong() - lastAnswer;
        if (now != answers || !isReading.getAsBoolean()) {
            answers = now;
            lastAnswer = nanoTime.getAsLong();
            if (isSilent) {
                isSilent = false;
                log.info("the broker answers again, after {} s", seconds(silentFor));
            }
        } else if (!isSilent && silentFor > ProcessStatus.LONGEST_SILENCE.toNanos()) {
            isSilent = true;
            log.warn("no broker has answered for {} s: waiting for one", seconds(silentFor));
        }
    }

    private static long answers(Map<MetricName, ? extends Metric> present) {
        long sum = 0;
        for (Map.Entry<MetricName, ? extends Metric> each : present.entrySet()) {
            MetricName name = each.getKey();
            if (name.group().equals("consumer-metrics")
                    && name.name().equals("response-total")
                    && each.getValue().metricValue() instanceof Number number) {
                sum += number.longValue();
            }
        }
        return sum;
    }

    private static long seconds(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(nanos);
    }

    /** The time since the last response. */
    Duration duration() {
        return Duration.ofNanos(Math.max(0, nanoTime.getAsLong() - lastAnswer));
    }
}
