package dev.envelope.core.position;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.position.PositionPolicy.LogTruncated;
import dev.envelope.core.position.PositionPolicy.TopicRecreated;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** What the database is told of logs, and what it is not told. */
final class IntroductionTest extends Situation {

    private Position lookAt(TopicPartition partition, Divergence seen) {
        return Objects.requireNonNull(
                finder(checkpoints)
                        .find(Set.of(partition), Map.of(partition, seen))
                        .get(partition));
    }

    private Uuid present() {
        return cluster.topicId("orders").orElseThrow();
    }

    private int sources() {
        return checkpoints.read(Set.of("orders")).sources().size();
    }

    @Test
    void nothingBeginsAtACutWhileWhatIsBelowItIsNotSaved() {
        onLogTruncated = LogTruncated.CONTINUE;
        known(P0, 20);
        known(P1, 0);
        cluster.truncateTo(P0, 50);
        append(P0, 10);
        int source = checkpoints.source(P0).number();

        Position position =
                lookAt(P0, new Divergence(source, present(), Optional.of(new NextOffset(50, 0))));

        assertThat(position)
                .isInstanceOfSatisfying(
                        Position.Refused.class,
                        it ->
                                assertThat(it.reason())
                                        .contains("from offset 50 on")
                                        .contains("20 to 49")
                                        .contains("start again"));
        assertThat(sources()).isEqualTo(2);
    }

    @Test
    void whatWasSeenOfAFormerTopicIdAddsNothingToIt() {
        onLogTruncated = LogTruncated.CONTINUE;
        onTopicRecreated = TopicRecreated.CONTINUE;
        known(P0, 40);
        known(P1, 0);
        Divergence seen =
                new Divergence(
                        checkpoints.source(P0).number(),
                        present(),
                        Optional.of(new NextOffset(30, 0)));
        cluster.createTopic("orders", 2);
        append(P0, 100);
        find(P0, P1);

        assertThat(lookAt(P0, seen)).isInstanceOf(Position.Found.class);
        assertThat(sources()).isEqualTo(4);
        assertThat(offset(P0)).isZero();
    }

    @Test
    void aLateGenerationOfAFormerTopicIdDoesNotMakeThatIdTheYoungest() {
        known(P0, 40);
        known(P1, 0);
        Uuid former = present();
        cluster.createTopic("orders", 2);
        append(P0, 100);
        known(P0, 10);
        known(P1, 0);
        checkpoints.add(P0, former, 1, new NextOffset(30, 0));

        assertThat(offset(P0)).isEqualTo(10);
    }

    @Test
    void whatAFormerLifeOfTheDatabaseSaidIsNotMixedWithWhatThePresentOneSays() {
        known(P0, 40);
        known(P1, 0);
        TopicPartition other = new TopicPartition("other", 0);
        cluster.createTopic("other", 1);
        checkpoints.beginLifeAfterRead("life-2");

        assertThatThrownBy(() -> find(P0, other))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("restarted");
        assertThat(find(P0, other).values())
                .allSatisfy(it -> assertThat(it).isInstanceOf(Position.Found.class));
    }

    @Test
    void aTopicThatIsNewDoesNotKeepTheKnownOnesWaiting() {
        known(P0, 40);
        known(P1, 0);
        TopicPartition other = new TopicPartition("other", 0);
        cluster.createTopic("other", 1);

        assertThat(find(P0, other).values())
                .hasSize(2)
                .allSatisfy(it -> assertThat(it).isInstanceOf(Position.Found.class));
    }

    /**
     * Where only commits say what is known: whoever has the first partitions has written its own.
     */
    @Test
    void ofTwoTopicsThatAnotherProcessHasBegunEachIsAsNewAsItself() {
        TopicPartition other0 = new TopicPartition("payments", 0);
        TopicPartition other1 = new TopicPartition("payments", 1);
        cluster.createTopic("payments", 2);
        append(other1, 30);
        startFrom = new StartFrom.Latest();
        onTopicRecreated = TopicRecreated.ADOPT;
        for (TopicPartition partition : List.of(P0, other0)) {
            Uuid id = cluster.topicId(partition.topic()).orElseThrow();
            cluster.commit(partition, new OffsetAndMetadata(0, "envelope/ahead/" + id + "//2"));
        }

        Map<TopicPartition, Position> found =
                finder(new CommitsAlone(admin)).find(Set.of(P1, other1));

        assertThat(((Position.Found) Objects.requireNonNull(found.get(P1))).next().offset())
                .isEqualTo(50);
        assertThat(((Position.Found) Objects.requireNonNull(found.get(other1))).next().offset())
                .isEqualTo(30);
    }
}
