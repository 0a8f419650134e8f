package dev.envelope.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.bench.client.Workload;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WorkloadTest {

    private static final int RECORDS = 100_000;

    @Test
    void aNameSaysHowManyKeysThereAre() {
        assertThat(Workload.of("1000", RECORDS).keys()).isEqualTo(1_000);
        assertThat(Workload.of("100k", RECORDS).keys()).isEqualTo(100_000);
        assertThat(Workload.of("unique", RECORDS).keys()).isEqualTo(RECORDS);
        assertThat(Workload.of("single", RECORDS).keys()).isEqualTo(1);
        assertThat(Workload.of("zipf", RECORDS).keys()).isEqualTo(1_000_000);
    }

    @Test
    void uniqueRecordsHaveAKeyEach() {
        Workload workload = Workload.of("unique", RECORDS);

        assertThat(keys(workload).distinct().count()).isEqualTo(RECORDS);
    }

    @Test
    void inZipfTheHottestKeyHasAboutATwentiethAndTheTailIsLong() {
        Workload workload = Workload.of("zipf", RECORDS);

        assertThat(keys(workload).filter(key -> key == 0).count())
                .isBetween(RECORDS / 25L, RECORDS / 15L);
        assertThat(keys(workload).filter(key -> key == 1).count())
                .isBetween(RECORDS / 45L, RECORDS / 28L);
        assertThat(keys(workload).distinct().count()).isGreaterThan(RECORDS / 4);
        assertThat(keys(workload)).allMatch(key -> key >= 0 && key < 1_000_000);
    }

    @Test
    void anAccountTellsItsKey() {
        assertThat(IntStream.of(0, 1, 999_999, 9_999_999))
                .allMatch(key -> Workload.keyOfAccount(Workload.account(key), 10_000_000) == key);
        assertThat(Workload.keyOfAccount(Workload.account(5), 5)).isEqualTo(-1);
        assertThat(Workload.keyOfAccount("another", 5)).isEqualTo(-1);
    }

    @Test
    void aRecordHasAbout150Bytes() {
        Workload workload = Workload.of("1000", RECORDS);

        assertThat(new String(workload.value(77), StandardCharsets.UTF_8).length())
                .isBetween(130, 190);
    }

    @Test
    void theTimetableOfARateDoesNotDrift() {
        assertThat(OpenLoop.dueNanos(5_000, 5_000)).isEqualTo(1_000_000_000L);
        assertThat(OpenLoop.dueNanos(3_000_000, 1_000)).isEqualTo(3_000_000_000_000L);
    }

    private static IntStream keys(Workload workload) {
        return IntStream.range(0, RECORDS).map(workload::keyOf);
    }
}
