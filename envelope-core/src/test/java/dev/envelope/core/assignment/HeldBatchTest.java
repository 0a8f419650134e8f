package dev.envelope.core.assignment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class HeldBatchTest {

    private static final TopicPartition OLDER = new TopicPartition("t", 0);

    private final HeldBatch batch =
            HeldBatch.of(List.of(), Optional.empty())
                    .endingAt(Map.of(OLDER, new NextOffset(80, 2)), false);

    private boolean isFreeWith(NextOffset done) {
        return batch.against(Map.of(OLDER, done)).isFree();
    }

    @Test
    void isFreeOnceTheOlderPartitionsAreDoneUpToTheirEnds() {
        assertThat(isFreeWith(new NextOffset(79, 2))).isFalse();
        assertThat(isFreeWith(new NextOffset(80, 2))).isTrue();
        assertThat(isFreeWith(new NextOffset(80, 1))).as("nothing is of the last epoch").isTrue();
        assertThat(isFreeWith(new NextOffset(90, 3))).isTrue();
        assertThat(batch.against(Map.of()).isFree()).as("nothing is known").isFalse();
    }

    @Test
    void whatWasDoneOfAnEndThatWasCutOffDoesNotCount() {
        assertThat(isFreeWith(new NextOffset(100, 1))).isFalse();
        assertThat(isFreeWith(new NextOffset(100, NextOffset.NO_EPOCH))).isTrue();
    }
}
