package dev.envelope.integration.chain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.chain.ChainRun.Plan;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Three applications in a chain whose processes are killed. {@code scripts/chain} goes further. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class ChainTest {

    private final LocalStack stack;

    ChainTest(LocalStack stack) {
        this.stack = stack;
    }

    @Tag("long")
    @Test
    void eachOutputArrivesOnceAndInOrderThroughThreeApplicationsThatAreKilled() {
        ChainVerdict verdict = ChainRun.run(stack, Plan.of(6, 1, 200, 42));

        assertThat(verdict.isGreen()).as("%s", verdict).isTrue();
        assertThat(verdict.totalKills()).isEqualTo(6);
        assertThat(verdict.outputs()).hasSize(3);
    }
}
