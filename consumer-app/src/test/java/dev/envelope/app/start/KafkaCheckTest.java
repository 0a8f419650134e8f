package dev.envelope.app.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.logging.ToldBetter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.junit.jupiter.api.Test;

class KafkaCheckTest {

    @Test
    void aPortThatIsNoBrokersIsToldFromOneWhereNobodyIs() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + other.getLocalPort();
            KafkaCheck check =
                    new KafkaCheck(
                            Map.of("bootstrap.servers", address),
                            List.of("payments"),
                            Optional.of("payments"),
                            Optional.empty(),
                            false);
            assertThat(check.look())
                    .isEqualTo(
                            new Verdict.Waiting(
                                    address
                                            + " is reached, but does not answer as a broker would:"
                                            + " check the port, and kafka.security.protocol"));
        }
    }

    @Test
    void theClientOfALookHasTheNameByWhichItsLinesAreKnown() {
        KafkaCheck check =
                new KafkaCheck(
                        Map.of(
                                "bootstrap.servers",
                                "127.0.0.1:1",
                                "metric.reporters",
                                Names.class.getName()),
                        List.of("payments"),
                        Optional.of("payments"),
                        Optional.empty(),
                        false);
        check.look();
        check.look();

        assertThat(Names.SEEN)
                .hasSize(2)
                .doesNotHaveDuplicates()
                .allMatch(it -> it.startsWith(ToldBetter.CLIENT_ID));
    }

    /** Notes the names of clients that are opened. */
    public static final class Names implements MetricsReporter {

        static final Queue<String> SEEN = new ConcurrentLinkedQueue<>();

        @Override
        public void configure(Map<String, ?> configs) {
            SEEN.add(String.valueOf(configs.get("client.id")));
        }

        @Override
        public void init(List<KafkaMetric> metrics) {}

        @Override
        public void metricChange(KafkaMetric metric) {}

        @Override
        public void metricRemoval(KafkaMetric metric) {}

        @Override
        public void close() {}
    }

    @Test
    void aSettingThatIsRefusedDeepBelowIsNamed() {
        String tokens = "org.apache.kafka.common.security.oauthbearer.OAuthBearer";
        KafkaCheck check =
                new KafkaCheck(
                        Map.of(
                                "bootstrap.servers",
                                "127.0.0.1:1",
                                "security.protocol",
                                "SASL_PLAINTEXT",
                                "sasl.mechanism",
                                "OAUTHBEARER",
                                "sasl.login.callback.handler.class",
                                tokens + "LoginCallbackHandler",
                                "sasl.oauthbearer.token.endpoint.url",
                                "http://127.0.0.1:1/token",
                                "sasl.jaas.config",
                                tokens + "LoginModule required;"),
                        List.of("payments"),
                        Optional.of("payments"),
                        Optional.empty(),
                        false);
        assertThat(check.look().toString())
                .contains("sasl.oauthbearer.token.endpoint.url", "cannot be accessed");
    }
}
