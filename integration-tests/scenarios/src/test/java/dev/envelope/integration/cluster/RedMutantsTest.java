package dev.envelope.integration.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.testkit.Anomaly;
import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.integration.cluster.KillCycles.Plan;
import dev.envelope.integration.oracle.CommitSampler;
import dev.envelope.integration.oracle.LedgerWorkload;
import dev.envelope.integration.oracle.ReferenceReplay;
import dev.envelope.integration.oracle.WorkloadProducer;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A promise that is broken on purpose is found by the checker that is meant to find it. */
@Tag("cluster")
@Tag("long")
@ExtendWith(OneStack.class)
class RedMutantsTest {

    private final LocalStack stack;

    RedMutantsTest(LocalStack stack) {
        this.stack = stack;
    }

    @Test
    void withDedupeOffAKillShowsDuplicateApply() {
        Plan plan = Plan.of(2, 42, 1, "classic").with(Mutant.DEDUPE_OFF);

        Verdict verdict = KillCycles.run(stack, plan);

        assertThat(verdict.findings().kinds()).as("%s", verdict).contains(Anomaly.DUPLICATE_APPLY);
    }

    @Test
    void withCommitOnFetchASampleShowsCommitAhead() {
        Findings findings = new Findings();
        try (ConsumerGroup group = ConsumerGroup.create(stack, "hasty", "classic", 4);
                ReferenceReplay truth = group.replay()) {
            CommitSampler sampler = group.sampler(truth, findings);
            LedgerWorkload workload = LedgerWorkload.plain(group.name(), 42, 97);
            ConsumerProcess hasty = group.start(Mutant.COMMIT_ON_FETCH);
            try (WorkloadProducer producer =
                    WorkloadProducer.start(group.bootstrapServers(), workload, 1_000)) {
                hasty.awaitSaved(1);
                for (int looks = 0; looks < 5; looks++) {
                    sampler.sample();
                }
                producer.failIfItHasFailed();
            }
        }
        assertThat(findings.kinds()).as("%s", findings).contains(Anomaly.COMMIT_AHEAD);
    }

    /** By a row that went back; by a message that was applied twice only if it was read again. */
    @Test
    void withCompareAndSetOffAZombieShowsItself() {
        Set<Anomaly> wanted = Set.of(Anomaly.DUPLICATE_APPLY, Anomaly.NON_MONOTONIC);
        Findings findings = new Findings();
        for (int tries = 0; tries < 3 && findings.kinds().isEmpty(); tries++) {
            String name = "zombie-" + tries;
            try (ConsumerGroup group = ConsumerGroup.create(stack, name, "classic", 4);
                    ReferenceReplay truth = group.replay()) {
                runWithZombie(group);
                group.judge(truth, findings);
            }
        }
        assertThat(findings.kinds()).as("%s", findings).containsAnyElementsOf(wanted);
    }

    /** A process is frozen at work until the group has given its partitions to another. */
    private static void runWithZombie(ConsumerGroup group) {
        LedgerWorkload workload = LedgerWorkload.of(group.name(), 42, 97);
        ConsumerProcess zombie = group.start(Mutant.COMPARE_AND_SET_OFF);
        try (WorkloadProducer producer =
                WorkloadProducer.start(group.bootstrapServers(), workload, 2_000)) {
            zombie.awaitSaved(500);
            zombie.pauseInTurn();
            ConsumerProcess heir = group.start(Mutant.COMPARE_AND_SET_OFF);
            heir.awaitPartitions(4);
            heir.awaitSaved(500);
            zombie.resume();
            heir.awaitSaved(1_000);
            producer.failIfItHasFailed();
        }
        group.awaitDone();
    }
}
