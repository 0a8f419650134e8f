package dev.envelope.app.handlers.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {

    private static final Instant NOW = Instant.parse("1999-12-31T23:59:00Z");

    @Test
    void secondsAndDatesAreUnderstood() {
        assertThat(RetryAfter.of("120", NOW)).contains(Duration.ofMinutes(2));
        assertThat(RetryAfter.of(" 0 ", NOW)).contains(Duration.ZERO);
        assertThat(RetryAfter.of("Fri, 31 Dec 1999 23:59:59 GMT", NOW))
                .contains(Duration.ofSeconds(59));
    }

    @Test
    void nobodyWaitsForMoreThanAnHour() {
        assertThat(RetryAfter.of("999999999", NOW)).contains(Duration.ofHours(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "soon", "-5", "1.5", "Fri, 31 Dec 1999 23:58:59 GMT", "99999999999"})
    void allElseSaysNothing(String text) {
        assertThat(RetryAfter.of(text, NOW)).isEmpty();
    }
}
