package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.P2;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import java.time.Duration;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Partitions that are added to a topic in use. P0 is read by another instance, which lags. */
final class GrowthBarrierTest {

    private static final TopicPartition ADDED = new TopicPartition("orders", 3);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private Loop loop = new Loop(Setup.DEFAULT);

    /** A key has five messages in an old partition, and then, later, two in the added one. */
    private void grow() {
        loop.assignAndFind(P1, P2);
        loop.engine.run(2);
        loop.append(P0, "key", 5);
        loop.cluster.growTopic("orders", 4);
        loop.append(ADDED, "key", 2);
        loop.assignAndFind(ADDED);
        loop.engine.run(SECOND);
    }

    @Test
    void whatItBringsWaitsUntilWhatWasSentBeforeToTheOlderOnesIsSavedWhoeverReadsThem() {
        grow();

        assertThat(loop.handler.savedOffsets(pad("key"))).isEmpty();
        assertThat(loop.status(ADDED).pausedBecause())
                .contains("2 records held")
                .contains("orders-0=0 of 5");
        assertThat(loop.status(ADDED).unacked()).as("in no budget").isZero();
        assertThat(loop.status(ADDED).lag()).isEqualTo(2);
        assertThat(loop.committed(ADDED)).isEqualTo(-1);

        loop.checkpoints.raise(P0, 4);
        loop.engine.run(SECOND);
        assertThat(loop.handler.savedOffsets(pad("key"))).isEmpty();

        loop.checkpoints.raise(P0, 5);
        loop.engine.run(SECOND);
        loop.commitRound();

        assertThat(loop.handler.savedOffsets(pad("key"))).containsExactly(0L, 1L);
        assertThat(loop.status(ADDED).pausedBecause()).isEmpty();
        assertThat(loop.committed(ADDED)).isEqualTo(2);
    }

    @Test
    void itDoesNotWaitForWhatAnOlderOneHasLostToATruncation() {
        grow();
        loop.checkpoints.raise(P0, 3);
        loop.engine.run(SECOND);
        assertThat(loop.status(ADDED).pausedBecause()).contains("orders-0=3 of 5");

        loop.cluster.truncateTo(P0, 3);
        loop.engine.run(SECOND);

        assertThat(loop.handler.savedOffsets(pad("key"))).containsExactly(0L, 1L);
    }

    @Test
    void whereItNeedNotWaitAKeysOrderIsBroken() {
        loop = new Loop(Setup.DEFAULT.with(Setup.DEFAULT.positions().withGrace(Duration.ZERO)));
        grow();

        assertThat(loop.handler.savedOffsets(pad("key")))
                .as("before the five of P0")
                .containsExactly(0L, 1L);
    }

    @Test
    void itWaitsForWhatTheOlderOnesHadWhenItsBatchWasFetchedAndTheNextForWhatTheyHaveThen() {
        grow();
        loop.append(P0, "key", 3);
        loop.append(ADDED, "key", 1);
        loop.checkpoints.raise(P0, 5);
        loop.engine.run(SECOND);

        assertThat(loop.handler.savedOffsets(pad("key"))).containsExactly(0L, 1L);
        assertThat(loop.status(ADDED).pausedBecause()).contains("orders-0=5 of 8");

        loop.checkpoints.raise(P0, 8);
        loop.engine.run(SECOND);
        assertThat(loop.handler.savedOffsets(pad("key"))).containsExactly(0L, 1L, 2L);
    }

    @Test
    void thatEndsWithABatchThatWasAskedForWhenAllProducersHadToKnow() {
        grow();
        loop.checkpoints.raise(P0, 5);
        loop.engine.run(SECOND);
        loop.environment.advance(Duration.ofMinutes(10));
        loop.append(ADDED, "key", 1);
        loop.engine.run(SECOND);
        assertThat(loop.checkpoints.source(ADDED).growth().settled()).isTrue();
        loop.append(P0, "key", 3); // by a producer that is later than all bounds
        loop.append(ADDED, "key", 1);
        loop.engine.run(4);

        assertThat(loop.handler.savedOffsets(pad("key"))).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void aBatchFromWithinTheGraceWaitsBeyondIt() {
        grow();
        loop.environment.advance(Duration.ofMinutes(11));
        loop.engine.run(SECOND);

        assertThat(loop.handler.savedOffsets(pad("key"))).isEmpty();
        assertThat(loop.checkpoints.source(ADDED).growth().settled()).isFalse();
    }

    @Test
    void whatIsHeldGoesWithItsAssignmentAndTheConditionIsTestedAnew() {
        grow();
        loop.consumer.revoke(ADDED);
        loop.engine.turn();
        loop.checkpoints.growOlder(Duration.ofMinutes(11));
        loop.checkpoints.raise(P0, 5);
        loop.append(P0, "key", 1);
        loop.assignAndFind(ADDED);
        loop.engine.run(SECOND);

        assertThat(loop.committed(ADDED)).isEqualTo(-1);
        assertThat(loop.handler.savedOffsets(pad("key"))).isEmpty();
        assertThat(loop.status(ADDED).pausedBecause()).contains("orders-0=5 of 6");

        loop.checkpoints.raise(P0, 6);
        loop.engine.run(SECOND);
        assertThat(loop.handler.savedOffsets(pad("key"))).containsExactly(0L, 1L);
        assertThat(loop.checkpoints.source(ADDED).growth().settled()).isTrue();
    }

    @Test
    void aPartitionOfALaterRoundWaitsForThoseOfAnEarlierOneAsWell() {
        grow();
        loop.checkpoints.raise(P0, 5);
        TopicPartition later = new TopicPartition("orders", 4);
        loop.cluster.growTopic("orders", 5);
        loop.append(later, "other", 1);
        loop.consumer.revoke(ADDED);
        loop.assignAndFind(later);
        loop.engine.run(SECOND);

        assertThat(loop.status(later).pausedBecause()).contains("{orders-3=0 of 2}");
        loop.checkpoints.raise(ADDED, 2);
        loop.engine.run(SECOND);
        assertThat(loop.handler.savedOffsets(pad("other"))).containsExactly(0L);
    }

    @Test
    void serversThatDoNotAnswerPassAndTheOthersFlowMeanwhile() {
        grow();
        loop.checkpoints.raise(P0, 5);
        loop.checkpoints.unavailable("the database is away");
        loop.append(P1, "b", 2);
        loop.engine.run(SECOND);
        assertThat(loop.handler.savedOffsets(pad("key"))).isEmpty();
        assertThat(loop.handler.savedOffsets(pad("b"))).hasSize(2);
        loop.checkpoints.failWith(null);
        loop.engine.run(SECOND);

        assertThat(loop.handler.savedOffsets(pad("key"))).containsExactly(0L, 1L);
    }
}
