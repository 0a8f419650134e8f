package dev.envelope.app.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.gateway.GatewayMeters;
import dev.envelope.app.ops.recent.Timeline;
import dev.envelope.core.api.Stage;
import dev.envelope.idempotency.outbox.OutboxStatus;
import dev.envelope.idempotency.output.OutputStatus;
import dev.envelope.idempotency.store.PoolUse;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.timer.Timers;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** What Prometheus' own lint says of names, of all that {@code /metrics} may have. */
class MetricNamesTest {

    private static final Pattern HELP = Pattern.compile("# HELP (\\S+) (.*)");
    private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");

    /** Micrometer's, under names that others know them by. */
    private static final Set<String> NAMED_BY_OTHERS =
            Set.of("process_cpu_time_ns_total", "system_cpu_count");

    /** Parts that name a unit which is not the base of its kind, or a type. */
    private static final Pattern NOT_WANTED =
            Pattern.compile(
                    ".*_(milliseconds|millis|ms|ns|nanos|minutes|hours|kilobytes|megabytes|percent"
                            + "|counter|gauge|histogram|summary)(_.*)?");

    private static final Pattern ENDS_OF_OTHER_TYPES =
            Pattern.compile(".*_(total|count|sum|bucket|info)");

    private static String scraped() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        Meters meters = new Meters(registry, new Timeline(Clock.systemUTC()));
        meters.parked("bad", 1);
        meters.deadLettered("bad", 1);
        meters.rebalanced("assigned", 1);
        meters.stopped(new TopicPartition("payments", 0));
        meters.waited(1);
        meters.drained(1);
        meters.saved(1, 1);
        meters.turnEnded(1, 1, 1, 1);
        meters.stageEnded(Stage.FOLD, 1);
        Gauges gauges = new Gauges(registry).ofProcess(() -> SampleStatus.of().status());
        gauges.ofKafka(Map::of);
        gauges.ofOutbox(() -> OutboxStatus.EMPTY);
        gauges.ofOutputs(() -> OutputStatus.NOTHING);
        gauges.ofTimers(() -> new Timers.Status(0, Duration.ZERO));
        gauges.ofConnections(() -> List.of(new PoolUse("lanes", 1, 1, 0, 4)));
        SnapshotCache<String> cache = new SnapshotCache<>(1 << 20);
        gauges.ofActors(() -> cache);
        gauges.ofLoops(List::of);
        new GatewayMeters(registry);
        return registry.scrape();
    }

    /** Their names and types. */
    private static Stream<MatchResult> ours() {
        return TYPE.matcher(scraped())
                .results()
                .filter(it -> !NAMED_BY_OTHERS.contains(it.group(1)));
    }

    @Test
    void everyMeterSaysWhatItIs() {
        String text = scraped();

        assertThat(TYPE.matcher(text).results().map(it -> it.group(1)))
                .containsExactlyElementsOf(
                        HELP.matcher(text)
                                .results()
                                .filter(it -> !it.group(2).isBlank())
                                .map(it -> it.group(1))
                                .toList());
    }

    @Test
    void countersAndOnlyTheyEndInTotal() {
        assertThat(ours()).allSatisfy(MetricNamesTest::endsAsItsTypeDoes);
    }

    private static void endsAsItsTypeDoes(MatchResult meter) {
        if (meter.group(2).equals("counter")) {
            assertThat(meter.group(1)).endsWith("_total");
        } else {
            assertThat(meter.group(1)).doesNotMatch(ENDS_OF_OTHER_TYPES);
        }
    }

    @Test
    void unitsAreSecondsAndBytesAndTypesAreNoPartOfNames() {
        assertThat(ours().map(it -> it.group(1)))
                .hasSizeGreaterThan(60)
                .noneMatch(it -> NOT_WANTED.matcher(it).matches());
    }
}
