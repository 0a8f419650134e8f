package dev.envelope.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.junit.jupiter.api.Test;

class BrokerSilenceTest {

    private long now = 5_000;
    private double answers;
    private boolean isReading = true;
    private final BrokerSilence silence =
            new BrokerSilence(() -> Map.of(name(), new Answers()), () -> isReading, () -> now);

    @Test
    void itLastsSinceTheLastAnswerAndEndsWithTheNext() {
        sampleAfter(Duration.ofSeconds(1), 7);
        sampleAfter(Duration.ofSeconds(1), 7);
        sampleAfter(Duration.ofSeconds(11), 7);
        assertThat(silence.duration()).isEqualTo(Duration.ofSeconds(12));

        sampleAfter(Duration.ofSeconds(1), 8);

        assertThat(silence.duration()).isZero();
    }

    @Test
    void aClientThatHasNeverBeenAnsweredCountsFromItsStart() {
        silence.sample();
        sampleAfter(Duration.ofSeconds(3), 0);

        assertThat(silence.duration()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void aClientThatWaitsForASlotAsksNobody() {
        sampleAfter(Duration.ofSeconds(1), 7);
        isReading = false;
        sampleAfter(Duration.ofSeconds(60), 7);
        assertThat(silence.duration()).isZero();

        isReading = true;
        sampleAfter(Duration.ofSeconds(3), 7);
        assertThat(silence.duration()).isEqualTo(Duration.ofSeconds(3));
    }

    private void sampleAfter(Duration time, int answered) {
        now += time.toNanos();
        answers = answered;
        silence.sample();
    }

    private static MetricName name() {
        return new MetricName("response-total", "consumer-metrics", "", Map.of());
    }

    private final class Answers implements Metric {

        @Override
        public MetricName metricName() {
            return name();
        }

        @Override
        public Object metricValue() {
            return answers;
        }
    }
}
