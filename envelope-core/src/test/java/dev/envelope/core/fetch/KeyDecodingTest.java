package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.envelope.core.decode.DecoderOutException;
import dev.envelope.core.key.KeyFormat;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.header.Headers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class KeyDecodingTest {

    private final Set<String> away = new HashSet<>();
    private final Set<String> unclear = new HashSet<>();
    private final Set<String> broken = new HashSet<>();
    private final Set<String> bad = new HashSet<>();
    private final Loop loop = new Loop(Setup.DEFAULT.with(new Format()));

    private final class Format implements KeyFormat {

        @Override
        public boolean mayBlock() {
            return true;
        }

        @Override
        public String decode(String topic, Headers headers, byte[] key) throws KeyRefused {
            String text = new String(key, StandardCharsets.UTF_8);
            if (bad.contains(text)) {
                throw new KeyRefused("key-format: not one of ours");
            } else if (away.contains(text)) {
                throw new DecoderOutException("the registry is away", new Exception(), true);
            } else if (unclear.contains(text)) {
                throw new DecoderOutException("an answer of 404", new Exception(), false);
            } else if (broken.contains(text)) {
                throw new StackOverflowError();
            }
            return text;
        }
    }

    @BeforeEach
    void twoPartitions() {
        loop.assignAndFind(P0, P1);
    }

    private void run(Duration time) {
        Duration step = Duration.ofMillis(10);
        for (Duration gone = Duration.ZERO; gone.compareTo(time) < 0; gone = gone.plus(step)) {
            loop.environment.advance(step);
            loop.environment.runBlocking();
            loop.engine.run(1);
        }
    }

    @Test
    void keysOfAForeignFormatAreDecodedInTheBackgroundAndArriveInOrder() {
        loop.append(P0, "a", 3);
        loop.engine.run(3);
        assertThat(loop.handler.saved(pad("a"))).as("before they are decoded").isEmpty();
        assertThat(loop.status(P0).pausedBecause()).as("for a moment only").isEmpty();

        run(Duration.ofMillis(50));
        loop.append(P0, "a", 2);
        run(Duration.ofMillis(50));

        assertThat(loop.handler.savedOffsets(pad("a"))).containsExactly(0L, 1L, 2L, 3L, 4L);
        loop.commitRound();
        assertThat(loop.committed(P0)).isEqualTo(5);
    }

    @Test
    void anOutageHoldsItsPartitionInOrderForAsLongAsItLastsAndTheOthersFlow() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger log = (Logger) LoggerFactory.getLogger(KeyDecoding.class);
        log.addAppender(lines);
        away.add(pad("b"));
        loop.append(P0, "a", 1);
        loop.append(P0, "b", 1);
        loop.append(P0, "c", 1);
        loop.append(P1, "d", 2);
        run(Duration.ofMinutes(20));

        assertThat(loop.handler.savedOffsets(pad("a"))).containsExactly(0L);
        assertThat(loop.handler.saved(pad("b"))).isEmpty();
        assertThat(loop.handler.saved(pad("c"))).as("behind it").isEmpty();
        assertThat(loop.handler.savedOffsets(pad("d"))).containsExactly(0L, 1L);
        assertThat(loop.committed(P0)).isEqualTo(1);
        PartitionStatus status = loop.status(P0);
        assertThat(status.stopped()).isFalse();
        assertThat(status.outage()).contains("offset 1").contains("the registry is away");
        assertThat(status.pausedBecause()).isEqualTo(status.outage());
        assertThat(status.isDrained()).isFalse();

        away.clear();
        run(Duration.ofSeconds(10));
        assertThat(loop.handler.savedOffsets(pad("b"))).containsExactly(1L);
        assertThat(loop.handler.savedOffsets(pad("c"))).containsExactly(2L);
        assertThat(loop.status(P0).outage()).isEmpty();
        log.detachAppender(lines);
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "orders-0 waits: the key of the record at offset 1 can't be decoded, after"
                                + " 3 attempts: the registry is away; trying again",
                        "orders-0 goes on: its keys can be decoded again");
    }

    @Test
    void aRegistryThatHangsDoesNotKeepTheLoopFromPolling() {
        loop.append(P0, "a", 1);
        loop.append(P1, "d", 1);
        for (int i = 0; i < 9_000; i++) { // ninety seconds, in which nothing is decoded
            loop.environment.advance(Duration.ofMillis(10));
            loop.engine.run(1);
        }
        assertThat(loop.engine.loop().status().joined()).isTrue();
        assertThat(loop.handler.turns()).isEmpty();
        PartitionStatus status = loop.status(P0);
        assertThat(status.outage()).contains("offset 0").contains("being decoded since");
        assertThat(status.pausedBecause()).isEqualTo(status.outage());

        run(Duration.ofMillis(50));
        assertThat(loop.handler.savedOffsets(pad("a"))).containsExactly(0L);
        assertThat(loop.handler.savedOffsets(pad("d"))).containsExactly(0L);
        run(Duration.ofSeconds(1));
        assertThat(loop.status(P0).outage()).isEmpty();
    }

    @Test
    void whatNobodyCanTellStopsItsPartitionAfterTheStatedTimeAndParksNothing() {
        unclear.add(pad("b"));
        loop.append(P0, "b", 1);
        loop.append(P1, "d", 1);
        run(Duration.ofMinutes(4));
        assertThat(loop.status(P0).stopped()).isFalse();

        run(Duration.ofMinutes(2));
        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause())
                .contains("offset 0")
                .contains("an answer of 404");
        assertThat(loop.handler.savedOffsets(pad("d"))).containsExactly(0L);
        assertThat(loop.committed(P0)).as("nothing").isEqualTo(-1);
    }

    @Test
    void theStatedTimeBeginsWithTheFirstFailureOfWhichNobodyCanTell() {
        away.add(pad("b"));
        loop.append(P0, "b", 1);
        run(Duration.ofMinutes(6));
        unclear.add(pad("b"));
        away.clear();
        run(Duration.ofMinutes(4));
        assertThat(loop.status(P0).stopped()).as("after an outage").isFalse();

        away.add(pad("b"));
        run(Duration.ofSeconds(10));
        away.clear();
        run(Duration.ofMinutes(4));
        assertThat(loop.status(P0).stopped()).as("after another").isFalse();

        unclear.clear();
        run(Duration.ofSeconds(10));
        assertThat(loop.handler.savedOffsets(pad("b"))).containsExactly(0L);
    }

    @Test
    void aFormatThatBreaksOffStopsItsPartitionInTheEndAndNotTheProcess() {
        broken.add(pad("b"));
        loop.append(P0, "b", 1);
        loop.append(P1, "d", 1);
        run(Duration.ofMinutes(6));

        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause()).contains("StackOverflowError");
        assertThat(loop.handler.savedOffsets(pad("d"))).containsExactly(0L);
    }

    @Test
    void bytesThatAreNoKeyAreRefusedAtOnce() {
        bad.add(pad("b"));
        loop.append(P0, "b", 1);
        loop.append(P0, "a", 1);
        run(Duration.ofMillis(50));

        assertThat(loop.handler.savedOffsets(pad("a"))).containsExactly(1L);
        loop.commitRound();
        assertThat(loop.committed(P0)).isEqualTo(2);
    }

    @Test
    void whatIsInHandIsForgottenWithItsAssignmentAndReadAgain() {
        away.add(pad("b"));
        loop.append(P0, "b", 2);
        run(Duration.ofSeconds(1));
        loop.consumer.revoke(P0);
        loop.engine.turn();
        away.clear();
        run(Duration.ofSeconds(10));
        assertThat(loop.handler.saved(pad("b"))).isEmpty();

        loop.assignAndFind(P0);
        run(Duration.ofSeconds(1));
        assertThat(loop.handler.savedOffsets(pad("b"))).containsExactly(0L, 1L);
    }

    @Test
    void whatIsDecodedOfABatchThatWasLetGoIsNotTakenForThatOfTheNext() {
        loop.append(P0, "a", 3);
        loop.engine.run(2); // in hand, and not yet decoded
        loop.consumer.revoke(P0);
        loop.engine.turn();
        loop.append(P0, "b", 5);
        loop.assignAndFind(P0);
        loop.engine.run(2);
        run(Duration.ofMillis(100));

        assertThat(loop.handler.savedOffsets(pad("a"))).containsExactly(0L, 1L, 2L);
        assertThat(loop.handler.savedOffsets(pad("b"))).containsExactly(3L, 4L, 5L, 6L, 7L);
    }

    /** The last poll has said so; the batch that was decoded meanwhile is of one before. */
    @Test
    void whatTheClientSaysBehindABatchThatIsJustDecodedIsNotTakenBack() {
        loop.append(P0, "a", 1);
        loop.engine.run(1); // in hand
        loop.cluster.appendGap(P0);
        loop.environment.runBlocking();
        run(Duration.ofMillis(50));

        loop.commitRound();
        assertThat(loop.committed(P0)).isEqualTo(2);
    }
}
