package dev.envelope.app.ops.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.ops.SampleStatus;
import dev.envelope.core.api.Doing;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.status.Holdup;
import dev.envelope.core.status.PartitionStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** What a caller of the gateway is told of a command that is not handled yet. */
class KeyFindingsTest {

    private static final TopicPartition PARTITION = new TopicPartition("payments", 1);

    private static List<String> findings(
            PartitionStatus partition, Optional<Standing> own, Optional<String> otherKey) {
        ApiBench bench =
                new ApiBench(
                        () ->
                                SampleStatus.of(partition)
                                        .missingTopic("secret-topic")
                                        .isStoreThere(false)
                                        .status());
        bench.standing = own;
        otherKey.ifPresent(
                key ->
                        bench.holdups.add(
                                new Holdup(
                                        partition,
                                        ApiBench.name(110, key),
                                        new Standing(Doing.RETRYING, 0, 5, 2, "their error"),
                                        Duration.ofMinutes(1))));
        return bench.live().findings("account-7", PARTITION);
    }

    @Test
    void aCallerIsToldOfItsOwnKeyAndNotWhatWentWrong() {
        Standing own = new Standing(Doing.RETRYING, 0, 2, 1, "db-7.internal:5432 refuses");

        assertThat(
                        findings(
                                SampleStatus.partition(1, ""),
                                Optional.of(own),
                                Optional.of("account-8")))
                .containsExactly(
                        "key \"account-7\": failed, and waits for its next attempt, for 3.0 s;"
                                + " 2 messages of it wait",
                        "the process that reads payments-1 is not ready");
    }

    @Test
    void ofOtherKeysOfItsPartitionACallerIsToldOnlyThatThereAreSome() {
        assertThat(
                        findings(
                                SampleStatus.partition(1, "a reason with words of a server"),
                                Optional.empty(),
                                Optional.of("account-8")))
                .containsExactly(
                        "other messages of payments-1 are not handled yet",
                        "payments-1 is not fetched at present",
                        "the process that reads payments-1 is not ready");
    }

    @Test
    void ofAPartitionElsewhereNothingIsKnown() {
        assertThat(findings(SampleStatus.partition(2, ""), Optional.empty(), Optional.empty()))
                .containsExactly("payments-1 is read by another process, or by none");
    }
}
