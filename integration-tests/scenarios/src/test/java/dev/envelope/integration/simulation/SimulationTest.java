package dev.envelope.integration.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SimulationTest {

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
        long seeds = Long.getLong("simulation.seeds", 600);
        SimulationRun run = new SimulationRun(1, seeds, Simulation::ofRows);
        long begin = System.nanoTime();

        run.run(2, 5);

        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(
                "simulation: %d seeds in %.0f s (%.0f/s); %s%n",
                seeds, seconds, seeds / seconds, run.counts());
        assertThat(run.violations())
                .as("replay with %s", run.violations().stream().map(it -> it.replay()).toList())
                .isEmpty();
        assertThat(run.counts().missing(seeds / 200))
                .as("INVALID: the run shows nothing")
                .isEmpty();
        assertThat(run.poorSeeds())
                .as("seeds with too few messages or faults")
                .isLessThanOrEqualTo(seeds / 500);
    }

    @Test
    void aSeedAlwaysTellsTheSameStory() {
        for (long seed = 1; seed <= 50; seed++) {
            String first = Simulation.ofRows(seed).counts().toString();
            String second = Simulation.ofRows(seed).counts().toString();
            assertThat(second).isEqualTo(first);
        }
    }
}
