package dev.envelope.app.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimitTest {

    private final AtomicLong now = new AtomicLong();
    private final RateLimit limit = new RateLimit(3, now::get);

    @Test
    void soManyPassInASecondAndTheNextSecondBeginsAnew() {
        assertThat(limit.admits()).isTrue();
        assertThat(limit.admits()).isTrue();
        assertThat(limit.admits()).isTrue();
        assertThat(limit.admits()).isFalse();

        now.set(999_999_999);
        assertThat(limit.admits()).isFalse();
        now.set(1_000_000_000);
        assertThat(limit.admits()).isTrue();
    }
}
