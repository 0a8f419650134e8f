package dev.envelope.core.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.pool.PoolSizer.Look;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class GainSizerTest {

    private static final long LOOK_NANOS = 125_000_000;
    private static final int LOOKS_A_MINUTE = 480;

    private final GainSizer sizer = new GainSizer(2, 64);
    private final List<String> reasons = new ArrayList<>();
    private int size = 2;
    private long now;
    private double messages;

    /** A minute in which there is always something to do; so much is done in a second. */
    private void busyMinute(IntToDoubleFunction rateOfWorkers) {
        for (int i = 0; i < LOOKS_A_MINUTE; i++) {
            messages += rateOfWorkers.applyAsDouble(size) * LOOK_NANOS / 1e9;
            look(true, size);
        }
    }

    private void quietMinute(int busy) {
        for (int i = 0; i < LOOKS_A_MINUTE; i++) {
            look(false, busy);
        }
    }

    private void look(boolean waits, int busy) {
        now += LOOK_NANOS;
        sizer.next(size, new Look(waits, busy, (long) messages), now)
                .ifPresent(
                        step -> {
                            size = step.workers();
                            reasons.add(step.reason());
                        });
    }

    @Test
    void handlersThatWaitGetAsManyWorkersAsThereMayBe() {
        busyMinute(workers -> workers * 200);

        assertThat(size).isEqualTo(64);
        assertThat(reasons).containsOnly("keys waited for a worker");
    }

    @Test
    void aStepThatBringsNothingIsTakenBackAndNotTriedAgainForAMinute() {
        busyMinute(workers -> 10_000);

        assertThat(size).isEqualTo(2);
        assertThat(reasons)
                .containsExactly("keys waited for a worker", "more did not get more done");
    }

    @Test
    void itGrowsToWhereSomethingElseIsScarce() {
        busyMinute(workers -> Math.min(workers, 10) * 200);

        assertThat(size).isBetween(9, 13);
    }

    @Test
    void aPoolThatHasLittleToDoShrinksToTheLeast() {
        busyMinute(workers -> workers * 200);
        for (int minute = 0; minute < 12; minute++) {
            quietMinute(1);
        }

        assertThat(size).isEqualTo(2);
        assertThat(reasons).contains("some had nothing to do");
    }

    @Test
    void aPoolWhoseWorkersAreAllBusyNowAndThenStaysAsItIs() {
        size = 8;

        quietMinute(8);

        assertThat(size).isEqualTo(8);
    }

    @Test
    void aNumberThatAPersonHasSetIsNotTakenBack() {
        for (int i = 0; reasons.isEmpty(); i++) {
            assertThat(i).isLessThan(100);
            messages += 100;
            look(true, size);
        }
        size = 20;
        sizer.stop();
        busyMinute(workers -> 1);
        quietMinute(1);

        assertThat(size).isEqualTo(20);
        assertThat(reasons).hasSize(1);
    }

    @Test
    void oneThatIsFixedChangesNothing() {
        PoolSizer fixed = PoolSizer.fixed();
        for (int i = 0; i < LOOKS_A_MINUTE; i++) {
            now += LOOK_NANOS;
            assertThat(fixed.next(2, new Look(true, 2, i * 1_000L), now)).isEmpty();
        }
    }
}
