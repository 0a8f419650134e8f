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

/** The checks can fail: each mutant is found, by the check that is there for it. */
class MutantsTest {

    private static final int SEEDS = 200;
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
    void withoutDedupeAnEffectIsDoubled() {
        assertThat(anomalies(Mutants.DEDUPE_OFF)).containsKey("duplicate-apply");
    }

    @Test
    void withoutCompareAndSetAZombieOverwritesARow() {
        assertThat(anomalies(Mutants.COMPARE_AND_SET_OFF)).containsKey("mark-shrunk");
    }

    @Test
    void committingOnFetchPromisesWhatIsNotDone() {
        assertThat(anomalies(Mutants.COMMIT_ON_FETCH)).containsKey("commit-ahead");
    }

    @Test
    void twoWorkersInAShardFoldAKeyTwiceAtOnce() {
        assertThat(anomalies(Mutants.ONE_AT_A_TIME_OFF)).containsKey("overlap");
    }

    @Test
    void aStateThatWasChangedHalfwayIsSaved() {
        assertThat(anomalies(Mutants.HALF_CHANGED_STATE_KEPT)).containsKey("duplicate-apply");
    }

    @Test
    void aKeyThatFlowsOnWhileItIsParkedIsOutOfOrder() {
        assertThat(anomalies(Mutants.PARKED_FORGOTTEN)).containsKey("reorder");
    }

    private static Map<String, Integer> anomalies(Wiring mutant) {
        Map<String, Integer> found = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            Simulation.run(seed, mutant)
                    .violation()
                    .ifPresent(it -> found.merge(it.anomaly(), 1, Integer::sum));
        }
        System.out.println("mutant: " + found);
        return found;
    }
}
