package dev.envelope.core.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.testkit.ManualEnvironment;
import dev.envelope.core.testkit.Seeds;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class FailurePolicyTest {

    private final FailurePolicy policy =
            new FailurePolicy(
                    5, Duration.ofMillis(100), Duration.ofSeconds(2), FailurePolicy.Last.STOP);

    private long millis(int failures) {
        return policy.backoff(failures, ManualEnvironment.NO_JITTER).toMillis();
    }

    @Test
    void subclassesAndCausesOfWhatIsNeverRetriedAreNotRetriedEither() {
        FailurePolicy picky =
                new FailurePolicy(
                        3,
                        Duration.ZERO,
                        Duration.ZERO,
                        FailurePolicy.Last.PARK,
                        Set.of("java.lang.IllegalArgumentException"),
                        FailurePolicy.Patience.DEFAULT);

        assertThat(picky.mayRetry(new IllegalStateException())).isTrue();
        assertThat(picky.mayRetry(new IllegalArgumentException())).isFalse();
        assertThat(picky.mayRetry(new NumberFormatException("a subclass"))).isFalse();
        assertThat(picky.mayRetry(new RuntimeException(new NumberFormatException("a cause"))))
                .isFalse();
    }

    @Test
    void doublesTheWaitWithEachAttemptUpToTheLongest() {
        assertThat(millis(1)).isEqualTo(100);
        assertThat(millis(2)).isEqualTo(200);
        assertThat(millis(3)).isEqualTo(400);
        assertThat(millis(5)).isEqualTo(1600);
        assertThat(millis(6)).isEqualTo(2000);
        assertThat(millis(1_000_000)).isEqualTo(2000);
    }

    @Test
    void spreadsTheWaitByAQuarterEitherWay() {
        Seeds.each(
                200,
                random -> {
                    int failures = random.nextInt(1, 40);
                    double expected = Math.min(100 * Math.pow(2, failures - 1), 2000);
                    double wait = policy.backoff(failures, random).toNanos() / 1e6;
                    assertThat(wait).isBetween(expected * 0.7499, expected * 1.2501);
                });
    }

    @Test
    void doesNotOverflowWithHours() {
        Duration wait =
                FailurePolicy.backoff(
                        Duration.ofHours(5), Duration.ofHours(20), 50, ManualEnvironment.NO_JITTER);

        assertThat(wait).isEqualTo(Duration.ofHours(20));
    }

    @Test
    void refusesNoAttempts() {
        assertThatThrownBy(
                        () ->
                                new FailurePolicy(
                                        0, Duration.ZERO, Duration.ZERO, FailurePolicy.Last.STOP))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
