package dev.envelope.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.store.PoolUse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.junit.jupiter.api.Test;

class StrainTest {

    private long now;
    private long collecting;
    private double throttled = Double.NaN;
    private PoolUse lanes = new PoolUse("lanes", 4, 4, 0, 4);
    private final Strain strain =
            new Strain(
                    () -> Map.of(NAME, new Throttle()),
                    () -> List.of(lanes),
                    () -> collecting,
                    () -> now);

    private static final MetricName NAME =
            new MetricName(
                    "fetch-throttle-time-max", "consumer-fetch-manager-metrics", "", Map.of());

    private final class Throttle implements Metric {

        @Override
        public MetricName metricName() {
            return NAME;
        }

        @Override
        public Object metricValue() {
            return throttled;
        }
    }

    /** A second each, with so many milliseconds of the collector's. */
    private void pass(int seconds, long collectingMillis) {
        for (int i = 0; i < seconds; i++) {
            now += Duration.ofSeconds(1).toNanos();
            collecting += collectingMillis;
            strain.sample();
        }
    }

    @Test
    void whoIsNotHinderedSaysNothing() {
        pass(20, 299);

        assertThat(strain.words()).isEmpty();
    }

    @Test
    void brokersThatThrottleAreNamedUntilTheyDoNot() {
        throttled = 812.4;
        pass(1, 0);
        assertThat(strain.words().toString()).contains("by up to 812 ms a fetch: a quota");

        throttled = 499;
        pass(1, 0);
        assertThat(strain.words()).isEmpty();
    }

    @Test
    void aHeapThatIsTooSmallIsToldFromOneLongCollection() {
        pass(1, 2_500);
        pass(8, 0);
        assertThat(strain.words()).as("one long collection at the start").isEmpty();

        pass(10, 630);

        assertThat(strain.words().toString())
                .contains("has taken 63% of the last 9 s: the heap of");
    }

    @Test
    void connectionsThatSomebodyWaitsForAllTheTimeAreTold() {
        pass(10, 0);
        lanes = new PoolUse("lanes", 4, 4, 2, 4);
        pass(9, 0);
        assertThat(strain.words()).isEmpty();

        pass(1, 0);

        assertThat(strain.words())
                .containsExactly(
                        "2 threads wait for a connection to the database: of the pool lanes 4 of at"
                                + " most 4 are open, and 4 lent out");
    }
}
