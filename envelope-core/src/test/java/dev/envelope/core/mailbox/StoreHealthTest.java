package dev.envelope.core.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.UnavailableException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class StoreHealthTest {

    private final UnavailableException full = new UnavailableException("the disk is full");

    private final StoreHealth health = new StoreHealth();

    private void failsAt(Duration time) {
        health.failed(time.toNanos(), full);
    }

    @Test
    void aFailureBesideOthersThatSaveIsNoOutage() {
        for (int second = 0; second < 10; second++) {
            failsAt(Duration.ofSeconds(second));
            health.served();
        }

        assertThat(health.isOut()).isFalse();
    }

    @Test
    void itIsAnOutageWhenNothingWasSavedForASecondAndOverWithTheFirstThatIs() {
        failsAt(Duration.ZERO);
        failsAt(Duration.ofMillis(900));
        assertThat(health.isOut()).isFalse();

        failsAt(Duration.ofMillis(1100));
        assertThat(health.isOut()).isTrue();

        health.served();
        assertThat(health.isOut()).isFalse();

        failsAt(Duration.ofSeconds(9));
        assertThat(health.isOut()).as("it is counted anew").isFalse();
    }
}
