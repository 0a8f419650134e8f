package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.idempotency.store.PartitionStops;
import dev.envelope.idempotency.store.operator.StoppedCatalog;
import dev.envelope.idempotency.store.postgres.operator.OperatorConnections;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PostgresPartitionStopsTest {

    private final PostgresFixture fixture = new PostgresFixture();
    private final PartitionStops stops = fixture.stops();
    private final int source = introduced();

    @AfterEach
    void close() {
        fixture.close();
    }

    private int introduced() {
        NewSource fresh =
                new NewSource(new TopicPartition("t-x", 3), new Uuid(1, 1), new NextOffset(0, 0));
        return fixture.checkpoints().introduce(List.of(fresh)).sources().get(0).number();
    }

    @Test
    void aPartitionStaysStoppedForItsFirstReasonUntilItIsResumed() {
        assertThat(fixture.checkpoints().stopped()).isEmpty();

        stops.stop(source, "too much");
        stops.stop(source, "and more");

        assertThat(fixture.checkpoints().stopped()).containsOnlyKeys(source);
        assertThat(fixture.checkpoints().stopped()).containsValue("too much");
        try (StoppedCatalog catalog =
                new OperatorConnections(fixture.settings("operator"), System::nanoTime).stopped()) {
            assertThat(catalog.all())
                    .singleElement()
                    .satisfies(it -> assertThat(it.name()).isEqualTo("t-x-3"))
                    .satisfies(it -> assertThat(it.reason()).isEqualTo("too much"));
            assertThat(catalog.resume("t-x-4", "me")).isFalse();
            assertThat(catalog.resume("t-x-3", "me")).isTrue();
            assertThat(catalog.resume("t-x-3", "me")).isFalse();
            assertThat(catalog.all()).isEmpty();
        }
        assertThat(fixture.checkpoints().stopped()).isEmpty();
    }

    @Test
    void aResumptionIsRecordedAndWaitsForNobody() {
        stops.stop(source, "too much");
        try (StoppedCatalog catalog =
                new OperatorConnections(fixture.settings("operator"), System::nanoTime).stopped()) {
            assertThat(catalog.resume("t-x-3", "me")).isTrue();
        }

        assertThat(fixture.requests().take(Duration.ofMinutes(1)))
                .as("nothing is left to be done")
                .isEmpty();
    }

    @Test
    void nothingIsParkedOfAPartitionThatHasNothingParked() {
        assertThat(stops.parked(source)).isZero();
    }
}
