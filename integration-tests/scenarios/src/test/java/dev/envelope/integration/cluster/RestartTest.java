package dev.envelope.integration.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.integration.cluster.Beat.Count;
import dev.envelope.integration.oracle.LedgerWorkload;
import dev.envelope.integration.oracle.ReferenceReplay;
import dev.envelope.integration.oracle.WorkloadProducer;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Servers;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A process that ends as it is asked to, and another that takes over. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class RestartTest {

    private final Servers servers;

    RestartTest(Servers servers) {
        this.servers = servers;
    }

    @Tag("long")
    @Test
    void afterTermUnderLoadNothingIsDeliveredAgain() throws Exception {
        restart("consumer");
    }

    @Tag("long")
    @Test
    void afterTermUnderLoadNothingIsDeliveredAgainWithTheClassicProtocol() throws Exception {
        restart("classic");
    }

    private void restart(String protocol) throws Exception {
        Findings findings = new Findings();
        String name = "term-" + protocol;
        try (ConsumerGroup group =
                        ConsumerGroup.create(servers, name, protocol, 8)
                                .withSessionTimeout(Duration.ofSeconds(30));
                ReferenceReplay truth = group.replay()) {
            LedgerWorkload workload = LedgerWorkload.plain(name, 42, 499);
            try (WorkloadProducer producer =
                    WorkloadProducer.start(group.bootstrapServers(), workload, 1_500)) {
                for (int restarts = 0; restarts < 2; restarts++) {
                    ConsumerProcess consumer = group.start();
                    consumer.awaitSaved(500);
                    consumer.awaitWork();
                    assertThat(consumer.stop()).as("everything is saved").isTrue();
                    producer.failIfItHasFailed();
                }
            }
            group.start();
            group.awaitDone();
            group.judge(truth, findings);

            assertThat(findings.isEmpty()).as("%s", findings).isTrue();
            assertThat(group.total(Count.SAVED_MESSAGES)).isEqualTo(truth.expected().log().size());
            assertThat(group.total(Count.DUPLICATES)).as("redeliveries").isZero();
        }
    }
}
