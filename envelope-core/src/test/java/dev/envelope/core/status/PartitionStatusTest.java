package dev.envelope.core.status;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class PartitionStatusTest {

    private static final String PAUSED = "an operator has paused it";

    private static PartitionStatus of(
            long epoch, long position, long committed, long unacked, String pausedBecause) {
        return new PartitionStatus(
                new TopicPartition("t", 0),
                epoch,
                position,
                110,
                committed,
                15,
                unacked,
                0,
                0,
                pausedBecause,
                "",
                "",
                false,
                null);
    }

    @Test
    void itIsDrainedWhenNothingIsFetchedAndAllThatWasIsCommitted() {
        assertThat(of(3, 110, 110, 0, PAUSED).isDrained()).isTrue();

        assertThat(of(3, 110, 110, 1, PAUSED).isDrained()).as("not all is saved").isFalse();
        assertThat(of(3, 110, 109, 0, PAUSED).isDrained()).as("nor committed").isFalse();
        assertThat(of(3, 115, 110, 0, PAUSED).isDrained()).as("a batch is held").isFalse();
        assertThat(of(3, 110, 110, 0, "").isDrained()).as("it is fetched").isFalse();
        assertThat(of(3, 110, 110, 0, PartitionStatus.ENOUGH).isDrained())
                .as("it will be fetched")
                .isFalse();
        assertThat(of(0, 0, 0, 0, PAUSED).isDrained()).as("its position is unknown").isFalse();
    }

    @Test
    void theEndIsAsFarBeyondWhatIsDurableAsTheLagSays() {
        assertThat(of(3, 120, 100, 10, "").end()).isEqualTo(125);
    }
}
