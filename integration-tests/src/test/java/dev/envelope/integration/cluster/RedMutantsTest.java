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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A promise that is broken on purpose is found by the checker that is meant to find it. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class RedMutantsTest {

    private final LocalStack stack;

    RedMutantsTest(LocalStack stack) {
        this.stack = stack;
    }

    @Test
    void withDedupeOffAKillShowsDuplicateApply() {
        Plan plan = Plan.of(3, 42, 1, "classic").with(Mutant.DEDUPE_OFF);

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

    @Test
    void withCompareAndSetOffAZombieShowsItself() {
        Findings findings = new Findings();
        for (int tries = 0; tries < 3 && findings.isEmpty(); tries++) { // one may be too late
            String name = "zombie-" + tries;
            try (ConsumerGroup group = ConsumerGroup.create(stack, name, "classic", 4);
                    ReferenceReplay truth = group.replay()) {
                runWithZombie(group, Mutant.COMPARE_AND_SET_OFF);
                group.judge(truth, findings);
            }
        }
        assertThat(findings.kinds())
                .as("%s", findings)
                .contains(Anomaly.DUPLICATE_APPLY)
                .contains(Anomaly.NON_MONOTONIC);
    }

    @Test
    void withCompareAndSetAZombieChangesNothing() {
        Findings findings = new Findings();
        try (ConsumerGroup group = ConsumerGroup.create(stack, "no-zombie", "classic", 4);
                ReferenceReplay truth = group.replay()) {
            runWithZombie(group, Mutant.NONE);
            group.judge(truth, findings);
        }
        assertThat(findings.isEmpty()).as("%s", findings).isTrue();
    }

    /** A process is frozen at work until the group has given its partitions to another. */
    private static void runWithZombie(ConsumerGroup group, Mutant mutant) {
        LedgerWorkload workload = LedgerWorkload.of(group.name(), 42, 97);
        ConsumerProcess zombie = group.start(mutant);
        try (WorkloadProducer producer =
                WorkloadProducer.start(group.bootstrapServers(), workload, 2_000)) {
            zombie.awaitSaved(500);
            zombie.pauseInTurn();
            ConsumerProcess heir = group.start(mutant);
            heir.awaitPartitions(4);
            heir.awaitSaved(500);
            zombie.resume();
            heir.awaitSaved(1_000);
            producer.failIfItHasFailed();
        }
        group.awaitDone();
    }
}
