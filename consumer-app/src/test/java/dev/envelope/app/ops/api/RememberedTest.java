package dev.envelope.app.ops.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class RememberedTest {

    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger looks = new AtomicInteger();
    private final Remembered<Integer> remembered = new Remembered<>(now::get);

    @Test
    void whatWasFoundIsToldForHalfASecondAndThenFoundAnew() {
        assertThat(remembered.get(looks::incrementAndGet)).isEqualTo(1);
        now.set(499_999_999);
        assertThat(remembered.get(looks::incrementAndGet)).isEqualTo(1);
        now.set(500_000_000);
        assertThat(remembered.get(looks::incrementAndGet)).isEqualTo(2);
        assertThat(looks).hasValue(2);
    }

    @Test
    void aSourceIsNotAskedForEachWhoAsks() {
        Supplier<Integer> source = Remembered.of(looks::incrementAndGet);

        assertThat(source.get()).isEqualTo(1);
        assertThat(source.get()).isEqualTo(1);
    }

    @Test
    void whatTookLongToFindIsRememberedForAsLong() {
        assertThat(remembered.get(() -> (int) now.addAndGet(600_000_000))).isEqualTo(600_000_000);

        assertThat(remembered.get(looks::incrementAndGet)).isEqualTo(600_000_000);
    }
}
