package dev.envelope.app.ops;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/**
 * A metric of the Kafka client, as a meter; one whose name ends in {@code -total} is a counter.
 *
 * @param group of the metric in the client
 * @param name within the group
 */
record KafkaFigure(String group, String name, String description) {

    private static final String FETCHES = "consumer-fetch-manager-metrics";
    private static final String GROUP = "consumer-coordinator-metrics";
    private static final String CLIENT = "consumer-metrics";

    /** Those of the client's hundred or so metrics that operators look at. */
    static final List<KafkaFigure> ALL =
            List.of(
                    of(FETCHES, "records-lag-max", "Most records that any partition is behind"),
                    of(FETCHES, "records-consumed-rate", "Records a second that polls brought"),
                    of(FETCHES, "bytes-consumed-rate", "Their bytes a second"),
                    of(FETCHES, "fetch-latency-avg", "Milliseconds that a fetch took on average"),
                    of(FETCHES, "fetch-rate", "Fetches a second"),
                    of(GROUP, "assigned-partitions", "Partitions that the group has given us"),
                    of(GROUP, "commit-latency-avg", "Milliseconds that a commit took on average"),
                    of(GROUP, "rebalance-total", "Rebalances that came to an end"),
                    of(GROUP, "failed-rebalance-total", "Rebalances that failed"),
                    of(GROUP, "last-heartbeat-seconds-ago", "Seconds since the last heartbeat"),
                    of(
                            CLIENT,
                            "poll-idle-ratio-avg",
                            "Share of the time that is spent within a poll"),
                    of(CLIENT, "time-between-poll-max", "Most milliseconds between two polls"),
                    of(CLIENT, "connection-count", "Connections to brokers"),
                    of(
                            CLIENT,
                            "failed-authentication-total",
                            "Connections on which brokers did not accept who we are"));

    private static final String TOTAL = "-total"; // Prometheus adds it to counters anyway

    private static KafkaFigure of(String group, String name, String description) {
        return new KafkaFigure(group, name, description);
    }

    String meter() {
        String prefix = group.substring(0, group.length() - "-metrics".length());
        String its = name.replaceFirst("-count$", "s"); // names in -count are for histograms
        return "kafka.%s.%s".formatted(prefix, its).replace('-', '.');
    }

    boolean isCounter() {
        return name.endsWith(TOTAL);
    }

    /** The value; not a number if the client has none. */
    double in(Map<MetricName, ? extends Metric> metrics) {
        return metrics.entrySet().stream()
                .filter(it -> isOf(it.getKey()))
                .map(it -> it.getValue().metricValue())
                .mapToDouble(it -> it instanceof Number number ? number.doubleValue() : Double.NaN)
                .findFirst()
                .orElse(Double.NaN);
    }

    private boolean isOf(MetricName metric) {
        return metric.name().equals(name)
                && metric.group().equals(group)
                && metric.tags().keySet().stream().allMatch("client-id"::equals);
    }

    double countedIn(Map<MetricName, ? extends Metric> metrics) {
        double count = in(metrics);
        return Double.isFinite(count) ? count : 0; // none yet
    }
}
