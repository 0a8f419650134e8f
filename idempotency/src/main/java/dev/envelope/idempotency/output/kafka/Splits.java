package dev.envelope.idempotency.output.kafka;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;

/**
 * How often a producer has divided a batch that was too large for its topic. It divides until the
 * parts are small enough, but no smaller than the largest record and some bytes. If a part of that
 * size is still too large, the producer sends it again until the time is up, without naming a
 * record. A record that is alone in its batch is named.
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
