package dev.envelope.integration.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.integration.cluster.Beat.Count;
import dev.envelope.integration.oracle.CommitSampler;
import dev.envelope.integration.oracle.LedgerWorkload;
import dev.envelope.integration.oracle.ReferenceReplay;
import dev.envelope.integration.oracle.WorkloadProducer;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Servers;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Of three processes one after the other is ended and replaced, under load. */
@Tag("cluster")
@ExtendWith(OneStack.class)
public class RollingRestartTest {

    private static final int INSTANCES = 3;
    private static final int PARTITIONS = 6;

    private final Servers servers;

    protected RollingRestartTest(Servers servers) {
        this.servers = servers;
    }

    @Tag("long")
    @Test
    protected void rollingRestartsLoseAndDoubleNothing() {
        Findings findings = new Findings();
        String name = "rolling";
        try (ConsumerGroup group = ConsumerGroup.create(servers, name, "consumer", PARTITIONS);
                ReferenceReplay truth = group.replay()) {
            CommitSampler sampler = group.sampler(truth, findings);
            LedgerWorkload workload = LedgerWorkload.of(name, 42, 499);
            try (WorkloadProducer producer =
                    WorkloadProducer.start(group.bootstrapServers(), workload, 500)) {
                Deque<ConsumerProcess> running = new ArrayDeque<>();
                for (int i = 0; i < INSTANCES; i++) {
                    running.addLast(group.start());
                }
                running.forEach(each -> each.awaitPartitions(PARTITIONS / INSTANCES));
                for (int i = 0; i < INSTANCES; i++) {
                    running.removeFirst().stop();
                    running.addLast(group.start());
                    running.forEach(each -> each.awaitPartitions(PARTITIONS / INSTANCES));
                    running.getLast().awaitSaved(1);
                    sampler.sample();
                }
                producer.failIfItHasFailed();
            }
            group.awaitDone();
            group.judge(truth, findings);

            assertThat(findings.isEmpty()).as("%s", findings).isTrue();
            assertThat(sampler.samples()).isPositive();
            assertThat(group.total(Count.REBALANCES)).isGreaterThan(2L * INSTANCES);
        }
    }
}
