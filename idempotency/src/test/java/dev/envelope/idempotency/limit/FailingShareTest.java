package dev.envelope.idempotency.limit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class FailingShareTest {

    private final FailingShare share = new FailingShare(50, 10);

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            share.failed();
        }
    }

    @Test
    void aFewFailuresAreNotTooManyWhateverTheirShare() {
        fail(9);
        assertThat(share.tooHigh()).isEmpty();

        fail(1);
        assertThat(share.tooHigh()).startsWith("10 of the last 10 messages have failed for good");
    }

    @Test
    void halfIsNotMoreThanHalf() {
        for (int i = 0; i < 100; i++) {
            share.passed(1);
            fail(1);
        }
        assertThat(share.tooHigh()).isEmpty();
    }

    @Test
    void whatWasLongAgoDoesNotCount() {
        share.passed(1_000_000);
        fail(10);
        assertThat(share.tooHigh()).isEmpty();

        fail(10);
        assertThat(share.tooHigh()).startsWith("10 of the last 10");
    }

    @Test
    void aBurstThatMuchHasPassedSinceStopsNothing() {
        fail(10);
        share.passed(9);
        assertThat(share.tooHigh()).startsWith("10 of the last 19 messages");

        share.passed(1);
        assertThat(share.tooHigh()).isEmpty();
    }

    @Test
    void oneHundredPercentNeverStops() {
        FailingShare any = new FailingShare(100, 1);
        any.failed();
        any.failed();
        assertThat(any.tooHigh()).isEmpty();
    }
}
