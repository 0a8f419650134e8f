package dev.envelope.app.ops.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.ops.Meters;
import dev.envelope.app.ops.ProcessStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HistoryTest {

    private static final long SECOND = 1_000_000_000L;
    private static final Meters.Recent NOTHING = new Meters.Recent(-1, Map.of());

    private final History history = new History();

    private void sample(int second, long records) {
        ProcessStatus status =
                ProcessStatus.preparing(
                        new ProcessStatus.Identity("1", "a", "i", "f", "rows"),
                        Duration.ZERO,
                        new ProcessStatus.Totals(2 * records, records, records / 10, 0, 0, 0));
        history.sample(Instant.ofEpochSecond(second), second * SECOND, status, NOTHING);
    }

    @Test
    void ratesAreOfASecondAndTheFirstLookHasNone() {
        sample(100, 0);
        assertThat(history.samples()).isEmpty();
        sample(105, 1_000);

        History.Sample sample = history.samples().get(0);
        assertThat(sample.saved()).isEqualTo(200);
        assertThat(sample.fetched()).isEqualTo(400);
        assertThat(sample.rows()).isEqualTo(20);
    }

    @Test
    void aQuarterOfAnHourIsKept() {
        for (int i = 0; i <= 400; i++) {
            sample(5 * i, i);
        }
        assertThat(history.samples()).hasSize(180);
        assertThat(history.samples().get(0).at()).isEqualTo(5_000 * 221);
        assertThat(history.after(5_000 * 398)).hasSize(2);
    }
}
