package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.limit.FrozenLog;
import dev.envelope.idempotency.store.row.ParkedMessage;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FrozenLogTest {

    private final PartitionEpoch epoch =
            new PartitionEpoch(1, new TopicPartition("t", 0), 1, new Incarnation("1"));
    private final Logger log = (Logger) LoggerFactory.getLogger(FrozenLog.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private long now;
    private final FrozenLog frozen = new FrozenLog(() -> now);

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void listenNoMore() {
        log.detachAppender(lines);
    }

    private void freeze(int from, int to) {
        for (int i = from; i < to; i++) {
            frozen.frozen(
                    new ParkedMessage(
                            Records.message(epoch, i, 7, "k" + i, "v"),
                            "k" + i,
                            "failed",
                            "no",
                            3));
        }
    }

    private List<String> said() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void someAMinuteAreNamedAndTheRestIsSummedUp() {
        freeze(0, 137);
        assertThat(said())
                .hasSize(5)
                .first()
                .asString()
                .startsWith("key \"k0\" is frozen: t-0@0 is parked after 3 attempts (failed: no).");

        now += Duration.ofSeconds(59).toNanos();
        frozen.look();
        assertThat(said()).hasSize(5);

        now += Duration.ofSeconds(1).toNanos();
        frozen.look();
        assertThat(said())
                .hasSize(6)
                .last()
                .asString()
                .startsWith("132 keys more were frozen")
                .contains("the last: key \"k136\", t-0@136 (failed: no)");

        now += Duration.ofMinutes(1).toNanos();
        frozen.look();
        freeze(200, 201);
        assertThat(said()).hasSize(7).last().asString().startsWith("key \"k200\" is frozen");
    }

    private void refuse(int from, int to, String reason) {
        for (int i = from; i < to; i++) {
            frozen.frozen(
                    new ParkedMessage(
                            Records.message(epoch, i, 7, "k" + i, "v"), "k" + i, reason, "no", 1));
        }
    }

    private void passAndLook(Duration time) {
        now += time.toNanos();
        frozen.look();
    }

    @Test
    void aTopicOfWhichNothingCanBeDecodedIsToldInOneLine() {
        refuse(0, 20, "undecodable");
        frozen.behind();
        assertThat(said()).singleElement().asString().contains("is parked after 1 attempt (");

        passAndLook(Duration.ofSeconds(4));
        assertThat(said())
                .hasSize(2)
                .last()
                .asString()
                .startsWith("none of all 21 messages read so far was applied: 20 are parked for")
                .contains("value.format", "The first is t-0@0 (undecodable: no)");

        refuse(20, 30, "undecodable");
        passAndLook(Duration.ofSeconds(10));
        assertThat(said()).hasSize(2);
        passAndLook(Duration.ofMinutes(1));
        assertThat(said()).hasSize(3).last().asString().startsWith("10 keys more were frozen");
    }

    @Test
    void aTopicWithoutKeysIsToldAsThat() {
        refuse(0, 3, "null-key");
        passAndLook(Duration.ofSeconds(4));

        assertThat(said())
                .last()
                .asString()
                .startsWith("none of all 3 messages")
                .contains("on.null.key");
    }

    @Test
    void whereSomeAreAppliedOrRefusedForAnotherReasonNothingIsSaidOfAll() {
        refuse(0, 3, "undecodable");
        frozen.folded();
        passAndLook(Duration.ofSeconds(4));
        assertThat(said()).hasSize(1);

        refuse(3, 6, "undecodable");
        assertThat(said()).as("each by name").hasSize(4);
    }

    @Test
    void anotherReasonAmongThemIsToldByName() {
        refuse(0, 3, "undecodable");
        refuse(3, 4, "null-key");
        passAndLook(Duration.ofSeconds(4));

        assertThat(said()).hasSize(2).noneMatch(line -> line.startsWith("none of all "));
    }
}
