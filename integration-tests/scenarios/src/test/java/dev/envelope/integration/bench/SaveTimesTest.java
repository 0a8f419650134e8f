package dev.envelope.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SaveTimesTest {

    private final SaveTimes times =
            SaveTimes.parse(List.of("0 100", "0 110", "0 150", "0 160", "1 105", "1 300", "2 900"));

    @Test
    void theLongestGapIsThatOfTheWorstPartitionThatIsAskedFor() {
        assertThat(times.longestGap(Set.of(0), 100, 200)).isEqualTo(40);
        assertThat(times.longestGap(Set.of(0, 1), 100, 301)).isEqualTo(195);
    }

    @Test
    void aGapCountsWhereItEnds() {
        assertThat(times.longestGap(Set.of(0), 120, 200)).isEqualTo(40);
        assertThat(times.longestGap(Set.of(0), 155, 200)).isEqualTo(10);
        assertThat(times.longestGap(Set.of(2, 3), 0, 1_000)).isZero();
    }

    @Test
    void partitionsAreFoundByWhenTheyWereSaved() {
        assertThat(times.savedBetween(101, 150)).containsExactly(0, 1);
        assertThat(times.savedBetween(200, 901)).containsExactly(1, 2);
        assertThat(times.firstFrom(1, 106)).hasValue(300);
        assertThat(times.firstFrom(1, 301)).isEmpty();
        assertThat(times.firstFrom(7, 0)).isEmpty();
    }
}
