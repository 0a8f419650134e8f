package dev.envelope.integration.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Processes without rows keep their promises, and the checks can fail. */
class WorkSimulationTest {

    private static final int SEEDS = 2_000;
    private static final int ENOUGH = 3;
    private static final Logger ENGINE = (Logger) LoggerFactory.getLogger("dev.envelope");

    @BeforeAll
    static void quiet() {
        ENGINE.setLevel(Level.OFF);
    }

    @AfterAll
    static void loud() {
        ENGINE.setLevel(null);
    }

    @Test
    void noSeedBreaksAPromise() throws InterruptedException {
        SimulationRun run = new SimulationRun(1, 3_000, Simulation::ofWork);

        run.run(2, 5);

        System.out.println("simulation of work: " + run.counts());
        assertThat(run.violations())
                .as(
                        "replay with %s --work",
                        run.violations().stream().map(it -> it.replay()).toList())
                .isEmpty();
        assertThat(run.poorSeeds()).as("seeds with too few messages or faults").isLessThan(30);
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

    private static void assertFound(WorkWiring mutant, String anomaly) {
        Map<String, Integer> found = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS && found.getOrDefault(anomaly, 0) < ENOUGH; seed++) {
            Simulation.work(seed, mutant)
                    .violation()
                    .ifPresent(it -> found.merge(it.anomaly(), 1, Integer::sum));
        }
        assertThat(found).containsEntry(anomaly, ENOUGH);
    }
}
