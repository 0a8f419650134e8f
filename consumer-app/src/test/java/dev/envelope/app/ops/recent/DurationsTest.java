package dev.envelope.app.ops.recent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class DurationsTest {

    private final Durations durations = new Durations();

    @Test
    void theMedianAndTheSlowestAreOffByATenthAtMost() {
        for (int i = 1; i <= 100; i++) {
            durations.record(i * 1_000_000L);
        }
        Durations.Seen seen = durations.take();

        assertThat(seen.count()).isEqualTo(100);
        assertThat(seen.p50()).isCloseTo(50, within(5.0));
        assertThat(seen.p99()).isCloseTo(99, within(10.0));
    }

    @Test
    void whatWasTakenIsGone() {
        durations.record(5);
        durations.take();

        assertThat(durations.take()).isEqualTo(new Durations.Seen(0, 0, 0));
    }

    @Test
    void whateverTakesForEverIsCountedAsALongTime() {
        durations.record(Long.MAX_VALUE);
        durations.record(-1);

        assertThat(durations.take().count()).isEqualTo(2);
    }
}
