package dev.envelope.integration.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.cluster.KillCycles.Plan;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Servers;
import dev.envelope.integration.stack.SeveralDatabases;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("cluster")
@ExtendWith(OneStack.class)
class KillCyclesTest {

    private static final int RATE = 700;

    private final LocalStack stack;

    KillCyclesTest(LocalStack stack) {
        this.stack = stack;
    }

    @Test
    void nothingIsLostOrDoubledThoughConsumersAreKilled() {
        kill("consumer", 1, 3, SeveralDatabases.of(stack, 3));
    }

    @Tag("long")
    @Test
    void twoConsumersOfOneDatabaseAreKilledInEachWay() {
        kill("classic", 2, 6, stack);
    }

    private static void kill(String protocol, int instances, int cycles, Servers servers) {
        Verdict verdict =
                KillCycles.run(
                        servers, new Plan(cycles, 42, instances, protocol, RATE, Mutant.NONE));

        assertThat(verdict.isGreen()).as("%s", verdict).isTrue();
        assertThat(verdict.totalKills()).isEqualTo(cycles);
        assertThat(verdict.kills()).hasSize(cycles); // each of another kind
    }

    @Tag("long")
    @Test
    void aRunInWhichNothingCouldGoWrongIsInvalid() {
        Verdict verdict = KillCycles.run(stack, Plan.of(0, 42, 1, "classic"));

        assertThat(verdict.findings().isEmpty()).as("%s", verdict).isTrue();
        assertThat(verdict.isValid()).as("%s", verdict).isFalse();
        assertThat(verdict.isGreen()).isFalse();
    }
}
