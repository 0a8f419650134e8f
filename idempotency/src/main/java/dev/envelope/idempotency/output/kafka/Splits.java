package dev.envelope.idempotency.output.kafka;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;

/**
 * How often a producer has divided a batch that was too large for its topic. It divides by {@code
 * batch.size} only. If the topic takes less than that, the parts are as large as before, and the
 * producer divides and sends them again until the time is up, without naming a record. A record
 * that is alone in its batch is named.
 */
final class Splits {

    /** What is logged once records are sent alone. */
    static final String SAID =
            "a topic of outputs takes less than the producer's batch.size: from now on, each output"
                    + " is sent in a batch of its own, which is slower; lower"
                    + " kafka.producer.batch.size, or raise the topic's max.message.bytes";

    private static final String METRIC = "batch-split-total";

    private Splits() {}

    static long of(Producer<?, ?> producer) {
        for (Metric each : producer.metrics().values()) {
            if (each.metricName().name().equals(METRIC)
                    && each.metricValue() instanceof Double count) {
                return count.longValue();
            }
        }
        return 0;
    }
}
