package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.limit.FrozenLog;
import dev.envelope.idempotency.store.ParkedMessage;
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
}
