package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.position.PositionPolicy;
import dev.envelope.core.position.PositionPolicy.TopicRecreated;
import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

/** A topic that is deleted and made again under the eyes of who reads it. */
final class RecreatedTopicTest {

    private Loop loop = new Loop(Setup.DEFAULT);

    private static Setup with(TopicRecreated policy) {
        PositionPolicy defaults = Setup.DEFAULT.positions();
        return Setup.DEFAULT.with(defaults.with(policy));
    }

    /** Three records are read and saved, and another topic of that name has eight. */
    private void recreateUnderWay() {
        loop.append(P0, "old", 3);
        loop.assignAndFind(P0, P1);
        loop.engine.run(2);
        loop.commitRound();
        loop.cluster.createTopic("orders", 3);
        loop.append(P0, "new", 8);
    }

    @Test
    void aTopicThatIsReadOnUnderItsNameIsFoundOutWithinSecondsAndStopped() {
        recreateUnderWay();
        loop.engine.run(Duration.ofSeconds(4));

        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause()).contains("on.topic.recreated=continue");
        assertThat(loop.status(P1).stopped()).isTrue();
    }

    @Test
    void aTopicThatIsGoneAtTwoLooksIsToldOfUntilItIsBack() {
        loop.engine.run(Duration.ofSeconds(4));
        assertThat(loop.engine.loop().status().missingTopics()).isEmpty();

        loop.cluster.deleteTopic("orders");
        loop.engine.run(Duration.ofSeconds(3));
        assertThat(loop.engine.loop().status().missingTopics()).as("one look").isEmpty();
        loop.engine.run(Duration.ofSeconds(4));
        assertThat(loop.engine.loop().status().missingTopics()).containsExactly("orders");

        loop.cluster.createTopic("orders", 3);
        loop.engine.run(Duration.ofSeconds(4));
        assertThat(loop.engine.loop().status().missingTopics()).isEmpty();
    }

    @Test
    void allOfTheNewTopicIsReadWhereThePolicySaysSo() {
        loop = new Loop(with(TopicRecreated.CONTINUE));
        recreateUnderWay();
        loop.engine.run(Duration.ofSeconds(6));

        assertThat(loop.handler.savedOffsets(pad("new"))).contains(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
        assertThat(loop.committed(P0)).isEqualTo(8);
        assertThat(loop.status(P0).stopped()).isFalse();
    }

    @Test
    void anAdoptedTopicIsReadOnWhereItsSourceStood() {
        loop = new Loop(with(TopicRecreated.ADOPT));
        recreateUnderWay();
        loop.engine.run(Duration.ofSeconds(6));

        assertThat(loop.handler.savedOffsets(pad("new")))
                .contains(3L, 4L, 5L, 6L, 7L)
                .doesNotContain(0L, 1L, 2L);
        assertThat(loop.checkpoints.source(P0).topicId())
                .isEqualTo(loop.cluster.topicId("orders").orElseThrow());
        assertThat(loop.status(P0).stopped()).isFalse();
    }

    @Test
    void aLeaderEpochThatFallsIsProofBeforeTheRecordIsApplied() {
        loop = new Loop(with(TopicRecreated.CONTINUE));
        loop.cluster.electLeader(P0);
        recreateUnderWay();
        loop.engine.run(1);
        assertThat(loop.handler.savedOffsets(pad("new"))).isEmpty();
        loop.engine.run(8);
        loop.commitRound();

        assertThat(loop.handler.savedOffsets(pad("new")))
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
        assertThat(loop.committed(P0)).isEqualTo(8);
    }

    @Test
    void leaderEpochsCountAnewInAnotherCluster() {
        loop = new Loop(with(TopicRecreated.ADOPT));
        loop.cluster.electLeader(P0);
        recreateUnderWay();
        loop.engine.run(Duration.ofSeconds(2));
        loop.commitRound();

        assertThat(loop.handler.savedOffsets(pad("new"))).containsExactly(3L, 4L, 5L, 6L, 7L);
        assertThat(loop.committed(P0)).isEqualTo(8);
    }

    @Test
    void aTruncationThatIsReportedIsARecreatedTopicWhereTheIdSaysSo() {
        loop = new Loop(with(TopicRecreated.CONTINUE));
        recreateUnderWay();
        loop.consumer.failPoll(
                new LogTruncationException(Map.of(P0, 3L), Map.of(P0, new OffsetAndMetadata(0))));
        loop.engine.run(8);

        assertThat(loop.handler.savedOffsets(pad("new")))
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
    }

    @Test
    void aTopicThatIsGoneOrABrokerThatIsAwayChangesNothing() {
        loop.append(P0, "old", 3);
        loop.assignAndFind(P0, P1);
        loop.engine.run(2);
        loop.admin.unavailable("the broker is away");
        loop.engine.run(Duration.ofSeconds(8));
        loop.append(P0, "old", 3);
        loop.engine.run(Duration.ofSeconds(2));

        assertThat(loop.handler.savedOffsets(pad("old"))).hasSize(6);
        assertThat(loop.status(P0).epoch()).isEqualTo(1);
    }

    @Test
    void theIdsOfAllTopicsAreOneQuestionEveryThreeSecondsOffThePollThread() {
        loop.assignAndFind(P0, P1);
        loop.engine.run(2);
        int before = loop.admin.questions();
        loop.environment.advance(Duration.ofSeconds(4));
        loop.engine.turn();
        assertThat(loop.admin.questions()).isEqualTo(before);
        loop.engine.run(Duration.ofSeconds(7));

        assertThat(loop.admin.questions() - before).isBetween(2, 4);
    }
}
