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

/** Processes that read a table do each row once, and the checks can fail. */
class TableSimulationTest {

    private static final int SEEDS = 1_000;
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
        SimulationRun run = new SimulationRun(1, 1_500, Simulation::ofTable);

        run.run(2, 5);

        System.out.println("simulation of a table: " + run.counts());
        assertThat(run.violations())
                .as(
                        "replay with %s --table",
                        run.violations().stream().map(it -> it.replay()).toList())
                .isEmpty();
        assertThat(run.poorSeeds()).as("seeds with too few messages or faults").isLessThan(30);
    }

    @Test
    void aRowThatIsDoneOutsideOfTheTransactionIsLost() {
        assertFound(TableMutants.DONE_BEFORE_THE_SAVE, "stall");
    }

    @Test
    void aRowThatIsDoneWithoutItsEffectIsLost() {
        assertFound(TableMutants.DONE_WITHOUT_WINNING, "stall");
    }

    @Test
    void aRowThatIsLeftHasItsEffectTwice() {
        assertFound(TableMutants.LEFT, "done-and-left");
    }

    @Test
    void whoDoesNotAskWhetherARowIsThereDoesItTwice() {
        assertFound(TableMutants.NOT_ASKED, "twice");
    }

    @Test
    void whoGoesByTheHighestIdLeavesRowsOut() {
        assertFound(TableMutants.HIGH_WATER, "stall");
    }

    private static void assertFound(TableWiring mutant, String anomaly) {
        Map<String, Integer> found = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS && found.getOrDefault(anomaly, 0) < ENOUGH; seed++) {
            Simulation.table(seed, mutant)
                    .violation()
                    .ifPresent(it -> found.merge(it.anomaly(), 1, Integer::sum));
        }
        System.out.println(found);
        assertThat(found).containsEntry(anomaly, ENOUGH);
    }
}
