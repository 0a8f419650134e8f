package dev.envelope.core.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.envelope.core.api.Doing;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome.Waiting;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the log says while keys wait for another version of the handler. */
final class UnreadStatesTest {

    private final IllegalStateException cause =
            new IllegalStateException(
                    "it has the field \"old\" (handler.drop=old would give it up)");

    private final Logger log = (Logger) LoggerFactory.getLogger(UnreadStates.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final UnreadStates unread = new UnreadStates();

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void listenNoMore() {
        log.detachAppender(lines);
    }

    private List<String> said() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private void waitEachFiveSeconds(int keys, int from, int to) {
        for (int second = from; second < to; second += 5) {
            for (int key = 0; key < keys; key++) {
                long now = Duration.ofSeconds(second).toNanos();
                unread.waits("k" + key, cause, Duration.ofHours(1), now);
            }
        }
    }

    @Test
    void theFirstKeyIsToldAtOnceWithWhatMendsItAndTheRestIsSummedUp() {
        waitEachFiveSeconds(100, 0, 5);
        assertThat(said())
                .singleElement()
                .asString()
                .contains("key \"k0\" waits", "handler.drop=old", "3600 s at most")
                .contains("other.version.wait.max");

        waitEachFiveSeconds(100, 5, 65);
        assertThat(said()).hasSize(2).last().asString().contains("100 keys wait");

        waitEachFiveSeconds(100, 65, 140);
        assertThat(said()).hasSize(4).last().asString().contains("100 keys wait", "handler.drop");
    }

    @Test
    void whoBeginsToWaitLaterIsToldAtOnceAgain() {
        waitEachFiveSeconds(3, 0, 5);
        waitEachFiveSeconds(1, 100, 105);

        assertThat(said()).hasSize(2).allMatch(line -> line.startsWith("key \"k0\" waits"));
    }

    @Test
    void aTurnWhoseKeyWaitsForAnotherVersionSaysSo() {
        FailurePolicy failures =
                new FailurePolicy(
                        3, Duration.ofMillis(100), Duration.ofSeconds(1), FailurePolicy.Last.PARK);
        Bench bench = new Bench(Bench.LIMITS, Telemetry.NONE, failures);
        bench.handler.onKey(
                "a", envelope -> new Waiting(Dispositions.applied(0), Doing.OTHER_VERSION, cause));
        bench.post(Records.epoch(1), "a", "b");
        bench.turns();

        assertThat(said()).singleElement().asString().startsWith("key \"a\" waits");
    }
}
