package dev.envelope.app.ops;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/**
 * A figure of the Kafka client's, as a meter; what ends in total is counted.
 *
 * @param group the client's
 * @param name within the group
 */
record KafkaFigure(String group, String name, String description) {

    private static final String FETCHES = "consumer-fetch-manager-metrics";
    private static final String GROUP = "consumer-coordinator-metrics";
    private static final String CLIENT = "consumer-metrics";

    /** Of the client's some hundred figures those that an operator looks at. */
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

    private static final String TOTAL = "-total"; // what is counted gets it anyway

    private static KafkaFigure of(String group, String name, String description) {
        return new KafkaFigure(group, name, description);
    }

    String meter() {
        String prefix = group.substring(0, group.length() - "-metrics".length());
        String its = name.replaceFirst("-count$", "s"); // histograms end in count
        return "kafka.%s.%s".formatted(prefix, its).replace('-', '.');
    }

    boolean isCounter() {
        return name.endsWith(TOTAL);
    }

    /** Not a number if the client has none. */
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
