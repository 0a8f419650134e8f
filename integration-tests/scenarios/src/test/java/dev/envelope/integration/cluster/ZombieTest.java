package dev.envelope.integration.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.integration.cluster.Beat.Count;
import dev.envelope.integration.oracle.LedgerWorkload;
import dev.envelope.integration.oracle.ReferenceReplay;
import dev.envelope.integration.oracle.WorkloadProducer;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Waiting;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Processes that were frozen for longer than the group waits for them, and go on. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class ZombieTest {

    private static final int PARTITIONS = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration PAUSE = Duration.ofMillis(20);

    /** The most frequent ones of the workload. */
    private static final List<String> HOT_KEYS = List.of("key-0", "key-1");

    private final LocalStack stack;

    ZombieTest(LocalStack stack) {
        this.stack = stack;
    }

    @Test
    void oneThatOutlastsItsSessionJoinsAgainByItselfAndItsLateWritesChangeNothing() {
        Findings findings = new Findings();
        try (ConsumerGroup group = ConsumerGroup.create(stack, "frozen", "classic", PARTITIONS);
                ReferenceReplay truth = group.replay()) {
            LedgerWorkload workload = LedgerWorkload.of(group.name(), 42, 97);
            ConsumerProcess zombie = group.start();
            ConsumerProcess heir = group.start();
            try (WorkloadProducer producer =
                    WorkloadProducer.start(group.bootstrapServers(), workload, 1_500)) {
                zombie.awaitPartitions(PARTITIONS / 2);
                heir.awaitPartitions(PARTITIONS / 2);
                zombie.pauseInTurn();
                heir.awaitPartitions(PARTITIONS);
                heir.awaitSaved(heir.beat().get(Count.SAVED_ROWS) + 200);
                zombie.resume();
                zombie.awaitPartitions(PARTITIONS / 2);
                zombie.awaitSaved(zombie.beat().get(Count.SAVED_ROWS) + 50);
                producer.failIfItHasFailed();
            }
            group.awaitDone();
            group.failIfOneHasFailed();
            group.judge(truth, findings);

            // Whether messages came again depends on the moment: it may fall right behind a commit.
            assertThat(findings.isEmpty()).as("%s", findings).isTrue();
        }
    }

    @Tag("long")
    @Test
    void oneThatIsFrozenInsideATransactionHoldsItsRowsForASecondOnly() {
        Findings findings = new Findings();
        try (ConsumerGroup group = ConsumerGroup.create(stack, "open", "classic", PARTITIONS);
                ReferenceReplay truth = group.replay();
                Sessions sessions = Sessions.open(stack.postgres().superuser())) {
            LedgerWorkload workload = LedgerWorkload.plain(group.name(), 42, 97);
            ConsumerProcess zombie = group.start();
            try (WorkloadProducer producer =
                    WorkloadProducer.start(group.bootstrapServers(), workload, 1_500)) {
                zombie.awaitSaved(200);
                assertThat(
                                sessions.freezeInTransaction(
                                        zombie, group.database(), ConsumerGroup.SCHEMA, HOT_KEYS))
                        .as("frozen inside a transaction")
                        .isTrue();
                Waiting.until(
                        PATIENCE,
                        PAUSE,
                        () -> !sessions.isInTransaction(zombie),
                        () -> "the server waits for a frozen process");
                ConsumerProcess heir = group.start();
                heir.awaitPartitions(PARTITIONS);
                heir.awaitSaved(200);
                zombie.resume();
                zombie.awaitPartitions(PARTITIONS / 2);
                producer.failIfItHasFailed();
            }
            group.awaitDone();
            group.failIfOneHasFailed();
            group.judge(truth, findings);

            assertThat(findings.isEmpty()).as("%s", findings).isTrue();
        }
    }
}
