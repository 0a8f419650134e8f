package dev.envelope.idempotency.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.OverRateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CallRateTest {

    private final AtomicLong clock = new AtomicLong(-7);
    private final CallRate rate = new CallRate(10, clock::get);

    /** 0 if it may call now. */
    private long waits(String of) {
        try {
            rate.take(of);
            return 0;
        } catch (OverRateException e) {
            return e.askAgainAfter().toMillis();
        }
    }

    private void advance(long millis) {
        clock.addAndGet(Duration.ofMillis(millis).toNanos());
    }

    @Test
    void thoseThatAreOverTheLimitAreToldToComeOneAfterTheOther() {
        assertThat(waits("a")).isZero();

        assertThat(List.of(waits("a"), waits("a"), waits("a"))).containsExactly(100L, 200L, 300L);
    }

    @Test
    void anotherHostHasItsOwnLimit() {
        assertThat(waits("a")).isZero();
        assertThat(waits("a")).isPositive();

        assertThat(waits("b")).isZero();
    }

    @Test
    void onlyATenthOfASecondIsCaughtUpOn() {
        assertThat(waits("a")).isZero();
        advance(10_000);

        assertThat(List.of(waits("a"), waits("a"))).containsOnly(0L);
        assertThat(waits("a")).isPositive();
    }

    @Test
    void thoseThatWaitGetTheirTurnAtTheRateWhileOthersCome() {
        record Waiting(long until) {}
        PriorityQueue<Waiting> waiting =
                new PriorityQueue<>(Comparator.comparingLong(Waiting::until));
        for (int i = 0; i < 30; i++) {
            waiting.add(new Waiting(0));
        }
        List<Long> done = new ArrayList<>();
        int asked = 0;
        for (long millis = 0; millis < 10_000 && !waiting.isEmpty(); millis++) {
            while (!waiting.isEmpty() && waiting.element().until() <= millis) {
                waiting.remove();
                asked++;
                long waits = waits("a");
                if (waits == 0) {
                    done.add(millis);
                } else {
                    waiting.add(new Waiting(millis + waits));
                }
            }
            advance(1);
        }

        assertThat(done).hasSize(30);
        assertThat(done.get(29)).isBetween(2_800L, 3_000L);
        assertThat(asked).as("hardly one is asked again in vain").isLessThan(70);
    }

    @Test
    void nobodyWaitsForLongForThoseThatDoNotComeAgain() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(waits("a")).isLessThanOrEqualTo(5_000);
        }
        advance(100);

        assertThat(waits("a")).isZero();
    }

    @Test
    void withoutALimitNothingIsRefusedAndANegativeOneIsNone() {
        CallRate any = new CallRate(0, clock::get);
        for (int i = 0; i < 1_000; i++) {
            any.take("a");
        }

        assertThatThrownBy(() -> new CallRate(-1, clock::get))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
