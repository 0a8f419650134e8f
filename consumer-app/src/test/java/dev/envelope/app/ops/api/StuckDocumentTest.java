package dev.envelope.app.ops.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.core.fetch.Holdup;
import dev.envelope.core.fetch.PartitionStatus;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.mailbox.Standing.Doing;
import dev.envelope.idempotency.outbox.OutboxStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class StuckDocumentTest {

    private static final Optional<String> PACE = Optional.of("the database sets the pace");
    private static final PartitionStatus PARTITION =
            new PartitionStatus(
                    new TopicPartition("payments", 1),
                    3,
                    120,
                    110,
                    100,
                    50_000,
                    10,
                    4_096,
                    62_000,
                    PartitionStatus.ENOUGH,
                    "",
                    false,
                    null);

    private static Map<String, Object> stuck(
            Optional<String> pace, Doing doing, Duration forSoLong, String trouble) {
        ProcessStatus status =
                new ProcessStatus(
                        new ProcessStatus.Identity("1.2.3", "balances", "here-1", "abc"),
                        "RUNNING",
                        Duration.ofMinutes(1),
                        Duration.ZERO,
                        true,
                        true,
                        Duration.ZERO,
                        List.of(PARTITION),
                        ProcessStatus.Pool.NONE,
                        OutboxStatus.EMPTY,
                        new ProcessStatus.Totals(9, 8, 2, 1, 0, 3));
        Holdup holdup =
                new Holdup(
                        PARTITION,
                        ApiBench.message(110, "account-7"),
                        new Standing(doing, 0, 5, 0, trouble),
                        forSoLong);
        return StuckDocument.of(status, List.of(holdup), pace);
    }

    @Test
    void whereItIsKnownWhatSetsThePaceItIsNoFindingThatMuchWaits() {
        for (Map<String, Object> behind :
                List.of(
                        stuck(PACE, Doing.QUEUED, Duration.ofMinutes(1), ""),
                        stuck(PACE, Doing.FOLDING, Duration.ofMillis(20), ""))) {
            assertThat(behind).containsEntry("stuck", false);
            assertThat(behind.get("findings"))
                    .asString()
                    .contains("nothing is stuck")
                    .contains("the database sets the pace");
        }
        assertThat(stuck(Optional.empty(), Doing.QUEUED, Duration.ofMinutes(1), ""))
                .containsEntry("stuck", true);
    }

    @Test
    void whatIsInTroubleOrDoesNotMoveIsAFindingAllTheSame() {
        assertThat(stuck(PACE, Doing.RETRYING, Duration.ofMillis(20), "no such account"))
                .containsEntry("stuck", true);
        assertThat(stuck(PACE, Doing.FOLDING, Duration.ofSeconds(6), ""))
                .containsEntry("stuck", true);
    }
}
