package dev.envelope.integration.bench.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class LatenciesTest {

    private final Latencies latencies = new Latencies();
    private final Properties result = new Properties();

    @Test
    void aRecordCountsFromWhenItShouldHaveBeenSent() {
        for (int i = 1; i <= 100; i++) {
            latencies.durable(sentAt(1_000), 1_000 + i * 10L);
        }
        latencies.tell(result);

        assertThat(result)
                .containsEntry("latencies", "100")
                .containsEntry("p50Micros", "500")
                .containsEntry("p99Micros", "990")
                .containsEntry("maxMicros", "1000");
    }

    @Test
    void aRecordThatWarmsUpDoesNotCount() {
        latencies.durable(new RecordHeaders(), 1_000);
        latencies.tell(result);

        assertThat(result).containsEntry("latencies", "0");
    }

    private static Headers sentAt(long micros) {
        return new RecordHeaders().add(Latencies.SENT, Micros.bytes(micros));
    }
}
