package dev.envelope.core.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.pool.PoolSizer.Look;
import dev.envelope.core.turn.CallTimes;
import dev.envelope.core.turn.CallTimes.Stopwatch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class LatencySizerTest {

    private static final long LOOK_NANOS = 125_000_000;

    private final List<String> reasons = new ArrayList<>();
    private final List<Integer> sizes = new ArrayList<>();
    private long now = 1_000_000_000_000L;
    private final CallTimes times = new CallTimes(() -> now);
    private LatencySizer sizer = new LatencySizer(2, 64, times);
    private int size = 2;

    /** Seconds in which there is always something to do; so many ms a call takes. */
    private void busy(int seconds, IntToDoubleFunction millisOfWorkers) {
        for (int i = 0; i < 8 * seconds; i++) {
            double millis = millisOfWorkers.applyAsDouble(size);
            long calls = (long) Math.max(1, size * 125 / millis);
            for (int call = 0; call < calls; call++) {
                call(millis, true);
            }
            look(true, size);
        }
    }

    private void call(double millis, boolean isDone) {
        Stopwatch watch = sizer.stopwatch().orElseThrow();
        long before = now;
        watch.start();
        now += (long) (millis * 1_000_000);
        watch.stop(isDone);
        now = before;
    }

    private void look(boolean waits, int busy) {
        now += LOOK_NANOS;
        sizer.next(size, new Look(waits, busy, 0), now)
                .ifPresent(
                        step -> {
                            size = step.workers();
                            sizes.add(size);
                            reasons.add(step.reason());
                        });
    }

    /** A server that does that many at a time; the others wait there. */
    private static IntToDoubleFunction server(int atOnce, double millis) {
        return workers -> millis * Math.max(1, (double) workers / atOnce);
    }

    @Test
    void asManyAsThereMayBeWhereCallsTakeAsLongAsEver() {
        busy(50, server(1_000, 20));

        assertThat(size).isEqualTo(64);
    }

    @Test
    void itSettlesALittleAboveWhatTheServerDoesAtOnce() {
        busy(50, server(16, 20));

        assertThat(size).isBetween(16, 27);
        assertThat(sizer.why()).startsWith("by latency, 2 to 64: lowest 20.0 ms, now ");
    }

    @Test
    void aServerThatDoesLessThanBeforeGetsFewerAtOnce() {
        busy(40, server(32, 20));
        assertThat(size).isBetween(32, 48);

        busy(15, server(4, 20));

        assertThat(size).isBetween(4, 10);
        assertThat(reasons).contains("calls take longer than they have to");
    }

    @Test
    void aServerThatHasBecomeSlowerGetsAsManyAsBeforeOnceTheLowestIsMeasuredAgain() {
        busy(50, server(32, 20));

        busy(120, server(32, 60));

        assertThat(size).isGreaterThanOrEqualTo(32);
        assertThat(reasons).contains("the lowest latency was measured again");
    }

    @Test
    void whereThereAreAsFewAsThereMayBeTheLowestIsMeasuredAgainToo() {
        sizer = new LatencySizer(16, 64, times);
        size = 16;
        busy(70, server(32, 20));
        assertThat(size).isGreaterThan(32);

        busy(30, server(32, 60));
        assertThat(size).as("while that looks like too much").isEqualTo(16);
        busy(150, server(32, 60));

        assertThat(size).isGreaterThanOrEqualTo(32);
    }

    @Test
    void measuringAgainTakesHalfOfTheWorkersForTwoSeconds() {
        busy(59, server(16, 20));
        int settled = size;
        int before = sizes.size();

        busy(6, server(16, 20));

        List<Integer> since = sizes.subList(before, sizes.size());
        assertThat(since).contains(settled / 2);
        assertThat(size).isBetween(16, 27);
    }

    @Test
    void aMeasurementThatNoCallsComeForIsGivenUp() {
        busy(59, server(16, 20));
        int settled = size;
        while (!sizer.why().contains("being measured again")) {
            busy(1, server(16, 20));
        }
        assertThat(size).isLessThan(settled);

        for (int i = 0; i < 8 * 11; i++) {
            look(false, 0);
        }
        assertThat(sizer.why()).doesNotContain("being measured again");
        assertThat(reasons).contains("too few calls came to measure the lowest latency");
        assertThat(sizes).contains(settled);
    }

    @Test
    void failuresThatComeAtOnceAreNoLatency() {
        busy(50, server(16, 20));

        for (int i = 0; i < 80; i++) {
            for (int call = 0; call < 100; call++) {
                call(0.1, false);
            }
            look(true, size);
        }

        assertThat(sizer.why()).contains("lowest 20.0 ms");
        assertThat(size).isBetween(16, 27);
    }

    @Test
    void callsThatFailBecauseTheyTakeTooLongCount() {
        busy(50, server(16, 20));

        for (int i = 0; i < 200; i++) {
            for (int call = 0; call < 20; call++) {
                call(500, false);
            }
            look(true, size);
        }

        assertThat(size).isLessThan(8);
    }

    @Test
    void itDoesNotGrowWhereNoKeyWaits() {
        busy(5, server(100, 20));
        int before = size;
        for (int i = 0; i < 80; i++) {
            for (int call = 0; call < 20; call++) {
                call(20, true);
            }
            look(false, size);
        }

        assertThat(size).isEqualTo(before);
    }

    @Test
    void aPoolThatHasLittleToDoShrinksToTheLeast() {
        busy(50, server(100, 20));

        for (int i = 0; i < 8 * 600; i++) {
            call(20, true);
            look(false, 1);
        }

        assertThat(size).isEqualTo(2);
        assertThat(reasons).contains("some had nothing to do");
    }

    @Test
    void afterAPersonHasSetItNothingIsMeasured() {
        sizer.stop();

        assertThat(sizer.stopwatch()).isEmpty();
        assertThat(sizer.next(2, new Look(true, 2, 0), now)).isEmpty();
        assertThat(sizer.why()).isEqualTo("set by a person");
    }
}
