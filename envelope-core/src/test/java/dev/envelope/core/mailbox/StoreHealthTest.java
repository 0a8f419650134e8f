package dev.envelope.core.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.envelope.core.api.UnavailableException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class StoreHealthTest {

    private final UnavailableException full = new UnavailableException("the disk is full");

    private final StoreHealth health = new StoreHealth();

    private boolean isOutAt(Duration time) {
        return health.isOut(time.toNanos());
    }

    private void failsAt(Duration time) {
        health.failed(time.toNanos(), full);
    }

    @Test
    void aFailureBesideOthersThatSaveIsNoOutage() {
        for (int second = 0; second < 10; second++) {
            failsAt(Duration.ofSeconds(second));
            health.served();
        }

        assertThat(isOutAt(Duration.ofSeconds(10))).isFalse();
    }

    @Test
    void rowsThatCanNotBeSavedWhileOthersAreAreToldOfInTheLogNowAndThen() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger log = (Logger) LoggerFactory.getLogger(StoreHealth.class);
        log.addAppender(lines);
        for (int second = 100; second < 150; second++) {
            failsAt(Duration.ofSeconds(second));
            health.served();
        }
        log.detachAppender(lines);

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .hasSize(2)
                .containsOnly(
                        "saving some rows, while others are saved: the disk is full; trying again");
    }

    @Test
    void itIsAnOutageWhenNothingWasSavedForASecondAndOverWithTheFirstThatIs() {
        failsAt(Duration.ZERO);
        failsAt(Duration.ofMillis(900));
        assertThat(isOutAt(Duration.ofMillis(900))).isFalse();

        failsAt(Duration.ofMillis(1100));
        assertThat(isOutAt(Duration.ofSeconds(2))).isTrue();

        health.served();
        assertThat(isOutAt(Duration.ofSeconds(2))).isFalse();

        failsAt(Duration.ofSeconds(9));
        assertThat(isOutAt(Duration.ofSeconds(9))).as("it is counted anew").isFalse();
    }

    @Test
    void whoHasNothingLeftToSaveIsNotOutForEver() {
        failsAt(Duration.ZERO);
        failsAt(Duration.ofSeconds(2));
        assertThat(isOutAt(Duration.ofSeconds(10))).isTrue();

        assertThat(isOutAt(Duration.ofSeconds(20))).as("its partitions were taken away").isFalse();
        failsAt(Duration.ofSeconds(60));
        assertThat(isOutAt(Duration.ofSeconds(60))).as("it is counted anew").isFalse();
    }
}
