package dev.envelope.integration.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Processes without rows keep their promises, and the checks can fail. */
class WorkSimulationTest {

    @RegisterExtension static final RedSeeds RED = new RedSeeds("work.txt", 2_000);

    @Test
    void noSeedBreaksAPromise() throws InterruptedException {
        SimulationRun run = new SimulationRun(1, 300, Simulation::ofWork);

        run.run(2, 5);

        System.out.println("simulation of work: " + run.counts());
        assertThat(run.violations())
                .as("replay with %s", run.violations().stream().map(it -> it.replay()).toList())
                .isEmpty();
        assertThat(run.poorSeeds()).as("seeds with too few messages or faults").isLessThan(6);
    }

    @Test
    void whatIsAcknowledgedAndNotDoneIsFound() {
        assertFound(WorkMutants.ACKED_UNDONE, "commit-ahead");
    }

    @Test
    void aDeadLetterThatIsNotSentIsFound() {
        assertFound(WorkMutants.DEAD_LETTERS_LOST, "commit-ahead");
    }

    @Test
    void withoutTheMemoryOfCommitsMessagesAreDoneAgain() {
        assertFound(WorkMutants.MEMORY_FORGOTTEN, "repeated");
    }

    @Test
    void whoBeginsBehindACommitLosesAMessage() {
        assertFound(WorkMutants.COMMIT_READ_TOO_HIGH, "commit-ahead");
    }

    @Test
    void whoMixesTheMessagesOfAKeyIsFound() {
        assertFound(WorkMutants.ORDER_OFF, "reorder");
    }

    @Test
    void aMarkThatIsCommittedBeforeItsEffectLosesThat() {
        assertFound(WorkStoreMutants.MARKED_BEFORE, "commit-ahead");
    }

    @Test
    void aMarkThatIsCommittedBehindItsEffectHasThatTwice() {
        assertFound(WorkStoreMutants.MARKED_BEHIND, "twice");
    }

    @Test
    void aMarkThatIsDeletedAboveTheCheckpointHasAnEffectTwice() {
        assertFound(WorkStoreMutants.FORGOTTEN_ABOVE_THE_CHECKPOINT, "twice");
    }

    @Test
    void whoDoesNotReadTheCheckpointTakesADeletedMarkForNone() {
        assertFound(WorkStoreMutants.CHECKPOINT_NOT_READ, "twice");
    }

    @Test
    void aConnectionThatBreaksIsNoCommit() {
        assertFound(WorkStoreMutants.UNKNOWN_TAKEN_FOR_DONE, "commit-ahead");
    }

    @Test
    void aDatabaseThatIsAwayIsNoFailedAttempt() {
        assertFound(WorkStoreMutants.OUTAGE_CHARGED, "charged");
    }

    private static void assertFound(WorkWiring mutant, String anomaly) {
        RED.assertFound(anomaly, seed -> Simulation.work(seed, mutant));
    }
}
