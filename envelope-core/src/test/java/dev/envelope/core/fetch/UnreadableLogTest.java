package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.P2;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.status.PartitionStatus;
import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.RecordDeserializationException.DeserializationExceptionOrigin;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** Polls that fail for one partition, and how the loop finds out which. */
final class UnreadableLogTest {

    private static final Duration A_SEARCH = Duration.ofSeconds(6);

    private final Loop loop = new Loop(Setup.DEFAULT);

    private void appendToAll(int records) {
        loop.append(P0, "a", records);
        loop.append(P1, "b", records);
        loop.append(P2, "c", records);
    }

    private void failPolls(int polls, Supplier<RuntimeException> failure) {
        for (int i = 0; i < polls; i++) {
            loop.consumer.failPoll(failure.get());
        }
    }

    private List<TopicPartition> stopped() {
        loop.status(P0);
        return loop.engine.loop().status().partitions().stream()
                .filter(PartitionStatus::stopped)
                .map(PartitionStatus::partition)
                .toList();
    }

    @Test
    void aCorruptBatchThatNamesNobodyStopsItsPartitionAndTheOthersGoOn() {
        appendToAll(5);
        loop.assignAndFind(P0, P1, P2);
        loop.engine.run(2);
        loop.cluster.corrupt(P1, 8);
        appendToAll(5);
        loop.engine.run(A_SEARCH);
        appendToAll(5);
        loop.engine.run(2);
        loop.commitRound();

        assertThat(stopped()).containsExactly(P1);
        assertThat(loop.status(P1).pausedBecause())
                .contains("offset 8")
                .contains("Record is corrupt")
                .contains("on.offset.ahead=follow");
        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(15);
        assertThat(loop.handler.savedOffsets(pad("c"))).hasSize(15);
        assertThat(loop.handler.savedOffsets(pad("b"))).hasSize(8);
        assertThat(loop.committed(P0)).isEqualTo(15);
        assertThat(loop.committed(P1)).as("what was before it is done").isEqualTo(8);
    }

    @Test
    void aCorruptBatchAtTheVeryFirstOffsetIsLeftToo() {
        appendToAll(5);
        loop.cluster.corrupt(P0, 0);
        loop.assignAndFind(P0, P1, P2);
        loop.engine.run(A_SEARCH);
        appendToAll(5);
        loop.engine.run(2);

        assertThat(stopped()).containsExactly(P0);
        assertThat(loop.handler.savedOffsets(pad("c"))).hasSize(10);
    }

    @Test
    void severalCorruptPartitionsAreFoundOneAfterTheOther() {
        appendToAll(5);
        loop.cluster.corrupt(P0, 3);
        loop.cluster.corrupt(P2, 4);
        loop.assignAndFind(P0, P1, P2);
        loop.engine.run(A_SEARCH.multipliedBy(2));
        appendToAll(5);
        loop.engine.run(2);

        assertThat(stopped()).containsExactly(P0, P2);
        assertThat(loop.handler.savedOffsets(pad("b"))).hasSize(10);
    }

    @Test
    void theInnocentLoseNothingByASearchAndReadNothingTwice() {
        appendToAll(5);
        loop.cluster.corrupt(P2, 5);
        loop.assignAndFind(P0, P1, P2);
        for (int i = 0; i < 600; i++) {
            loop.append(P0, "a", 1);
            loop.cluster.appendGap(P1);
            loop.environment.advance(Duration.ofMillis(10));
            loop.engine.run(1);
        }
        loop.engine.run(2);
        loop.commitRound();

        assertThat(stopped()).containsExactly(P2);
        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(605).doesNotHaveDuplicates();
        assertThat(loop.committed(P1)).isEqualTo(605);
    }

    @Test
    void anOutageHoldsNobodyBack() {
        appendToAll(5);
        loop.assignAndFind(P0, P1, P2);
        loop.engine.run(2);
        for (Supplier<RuntimeException> failure :
                List.<Supplier<RuntimeException>>of(
                        () -> new TimeoutException("away"),
                        () -> new DisconnectException("away"),
                        () -> new KafkaException("wrapped", new TimeoutException("away")),
                        () -> new AuthorizationException("not yours"))) {
            failPolls(20, failure);
            for (int i = 0; i < 20; i++) {
                loop.engine.run(1);
                assertThat(loop.consumer.paused()).isEmpty();
            }
        }
        appendToAll(5);
        loop.engine.run(2);

        assertThat(stopped()).isEmpty();
        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(10);
    }

    @Test
    void anOutageInTheMiddleOfASearchProvesNothing() {
        appendToAll(5);
        loop.cluster.corrupt(P1, 5);
        loop.assignAndFind(P0, P1, P2);
        loop.engine.run(8); // the search has begun
        assertThat(loop.consumer.paused()).isNotEmpty();
        failPolls(40, () -> new TimeoutException("away"));
        loop.engine.run(40);
        loop.engine.run(A_SEARCH);

        assertThat(stopped()).containsExactly(P1);
    }

    @Test
    void afterAnOutageItHasToBeQuietAnewBeforeAnybodyIsLetGo() {
        appendToAll(5);
        loop.assignAndFind(P0, P1, P2);
        failPolls(3, () -> new KafkaException("the client is confused"));
        loop.engine.run(4);
        assertThat(loop.consumer.isPaused(P0)).isTrue();
        failPolls(20, () -> new TimeoutException("away"));
        for (int i = 0; i < 20; i++) {
            loop.environment.advance(Duration.ofMillis(100));
            loop.engine.run(1);
        }
        loop.engine.run(4); // these pass, and prove nothing yet
        failPolls(1, () -> new KafkaException("the client is confused"));
        loop.engine.run(1);
        loop.engine.run(A_SEARCH);

        assertThat(stopped()).isEmpty();
    }

    @Test
    void aFailureThatWasOnItsWayAlreadyDoesNotLeadTheSearchAstray() {
        appendToAll(5);
        loop.cluster.corrupt(P0, 5);
        loop.assignAndFind(P0, P1, P2);
        loop.engine.run(5);
        assertThat(loop.consumer.isPaused(P0)).isTrue();
        failPolls(1, () -> new KafkaException("the same once more"));
        loop.engine.run(2);
        assertThat(loop.consumer.isPaused(P1)).as("the next is held back, too").isTrue();
        loop.engine.run(Duration.ofMillis(2500));

        assertThat(stopped()).containsExactly(P0);
    }

    @Test
    void aFailureThatLetsPollsPassInBetweenIsTracedToo() {
        appendToAll(5);
        loop.assignAndFind(P0, P1, P2);
        loop.engine.run(2);
        for (int i = 0; i < 800; i++) {
            if (i % 5 == 0 && !loop.consumer.isPaused(P1)) {
                loop.consumer.failPoll(new KafkaException("Encountered corrupt message"));
            }
            loop.environment.advance(Duration.ofMillis(10));
            loop.engine.run(1);
        }

        assertThat(stopped()).containsExactly(P1);
    }

    @Test
    void whomTheMessageSeemsToNameIsHeldBackFirst() {
        appendToAll(5);
        loop.assignAndFind(P0, P1, P2);
        loop.engine.run(2);
        failPolls(3, () -> new KafkaException("can't read orders-2"));
        loop.engine.run(3);

        assertThat(loop.consumer.paused()).containsExactly(P2);
    }

    @Test
    void failuresThatAreNoPartitionsFaultStopNobodyAndPass() {
        appendToAll(5);
        loop.assignAndFind(P0, P1, P2);
        failPolls(50, () -> new KafkaException("the client is confused"));
        loop.engine.run(10);
        for (int i = 0; i < 40; i++) {
            loop.engine.run(1);
            assertThat(loop.consumer.paused()).as("nobody is held back for it").isEmpty();
        }

        loop.engine.run(A_SEARCH);

        assertThat(stopped()).isEmpty();
        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(5);
        assertThat(loop.handler.savedOffsets(pad("c"))).hasSize(5);
    }

    @Test
    void failuresThatCeaseInTheMiddleOfASearchStopNobody() {
        appendToAll(5);
        loop.assignAndFind(P0, P1, P2);
        failPolls(4, () -> new KafkaException("the client is confused"));
        loop.engine.run(5);
        assertThat(loop.consumer.paused()).as("a search has begun").isNotEmpty();
        loop.engine.run(A_SEARCH);

        assertThat(stopped()).isEmpty();
        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(5);
        assertThat(loop.handler.savedOffsets(pad("b"))).hasSize(5);
        assertThat(loop.handler.savedOffsets(pad("c"))).hasSize(5);
    }

    @Test
    void afterASearchThatFoundNobodyAnotherIsMadeWhenPartitionsHaveCome() {
        appendToAll(5);
        loop.assignAndFind(P0);
        failPolls(5, () -> new KafkaException("the client is confused"));
        loop.engine.run(6);
        loop.cluster.corrupt(P1, 5);
        loop.assignAndFind(P1, P2);
        loop.engine.run(Duration.ofSeconds(40));

        assertThat(stopped()).containsExactly(P1);
        assertThat(loop.handler.savedOffsets(pad("c"))).hasSize(5);
    }

    @Test
    void aSuspectThatIsRevokedEndsTheSearch() {
        appendToAll(5);
        loop.cluster.corrupt(P0, 5);
        loop.assignAndFind(P0, P1, P2);
        loop.engine.run(8);
        assertThat(loop.consumer.paused()).contains(P0);
        loop.consumer.revoke(P0);
        loop.engine.run(A_SEARCH);
        appendToAll(5);
        loop.engine.run(2);

        assertThat(loop.consumer.paused()).isEmpty();
        assertThat(loop.handler.savedOffsets(pad("b"))).hasSize(10);
        assertThat(loop.handler.savedOffsets(pad("c"))).hasSize(10);
    }

    @Test
    void whoIsRevokedBeforeHeIsSuspectedEndsTheSearchToo() {
        appendToAll(5);
        loop.assignAndFind(P0, P1, P2);
        failPolls(3, () -> new KafkaException("the client is confused"));
        loop.engine.run(4);
        assertThat(loop.consumer.paused()).containsExactly(P0);
        loop.consumer.revoke(P1);
        failPolls(2, () -> new KafkaException("the client is confused"));
        loop.engine.run(4);
        loop.engine.run(A_SEARCH);
        appendToAll(5);
        loop.engine.run(2);

        assertThat(stopped()).isEmpty();
        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(10);
        assertThat(loop.handler.savedOffsets(pad("c"))).hasSize(10);
    }

    @Test
    void aRecordThatIsNamedIsSetAsideAtOnce() {
        appendToAll(5);
        loop.assignAndFind(P0, P1, P2);
        loop.engine.run(2);
        loop.consumer.failPoll(
                new RecordDeserializationException(
                        DeserializationExceptionOrigin.KEY,
                        P1,
                        17,
                        0,
                        TimestampType.CREATE_TIME,
                        ByteBuffer.allocate(0),
                        ByteBuffer.allocate(0),
                        new RecordHeaders(),
                        "no key",
                        new IllegalStateException("why")));
        loop.engine.turn();
        appendToAll(5);
        loop.engine.run(2);

        assertThat(stopped()).containsExactly(P1);
        assertThat(loop.status(P1).pausedBecause()).contains("offset 17").contains("no key");
        assertThat(loop.handler.savedOffsets(pad("c"))).hasSize(10);
    }
}
