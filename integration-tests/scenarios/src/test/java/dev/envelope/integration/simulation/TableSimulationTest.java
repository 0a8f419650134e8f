package dev.envelope.integration.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Processes that read a table do each row once, and the checks can fail. */
class TableSimulationTest {

    @RegisterExtension static final RedSeeds RED = new RedSeeds("table.txt", 2_000);

    @Test
    void noSeedBreaksAPromise() throws InterruptedException {
        SimulationRun run = new SimulationRun(1, 300, Simulation::ofTable);

        run.run(2, 5);

        System.out.println("simulation of a table: " + run.counts());
        assertThat(run.violations())
                .as("replay with %s", run.violations().stream().map(it -> it.replay()).toList())
                .isEmpty();
        assertThat(run.poorSeeds()).as("seeds with too few messages or faults").isLessThan(12);
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

    @Test
    void whoChangesTheNumberOfSlotsWithoutAskingSharesThem() {
        assertFound(SlotMutants.CHANGED_UNASKED, "slot-shared");
    }

    @Test
    void aSaveThatLosesWhatItsRowsHaveEmittedIsFound() {
        assertFound(TableMutants.EFFECTS_LOST, "output-lost");
    }

    @Test
    void whatIsSentButNotDeletedIsSentAgain() {
        assertFound(TableMutants.as(OutputMutants.NEVER_DELETED), "output-repeated");
    }

    @Test
    void withoutTheNumberOfABatchNobodyKnowsThatItWasSent() {
        assertFound(TableMutants.as(OutputMutants.NUMBER_NOT_COMMITTED), "output-repeated");
    }

    @Test
    void aRelayThatDoesNotAskWhatOthersHaveToSendOvertakesThem() {
        assertFound(TableMutants.as(OutputMutants.ORDER_BETWEEN_RELAYS_OFF), "output-order");
    }

    private static void assertFound(TableWiring mutant, String anomaly) {
        RED.assertFound(anomaly, seed -> Simulation.table(seed, mutant));
    }
}
