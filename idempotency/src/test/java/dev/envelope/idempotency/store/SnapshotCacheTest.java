package dev.envelope.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SnapshotCacheTest {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // it may overflow
    private final SnapshotCache<String> cache =
            new SnapshotCache<>(1 << 20, Duration.ofMinutes(10), nanos::get);

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    /** After a purge the versions of a key begin anew, and may come to one that is cached. */
    @Test
    void anEntryThatCouldOutliveItsRowIsNotUsed() {
        cache.put(Snapshot.absent("a"), "live", 1);
        pass(Duration.ofMinutes(10));
        assertThat(cache.take("a", 1)).isNotNull();

        pass(Duration.ofNanos(1));
        assertThat(cache.take("a", 1)).isNull();

        cache.put(Snapshot.absent("a"), "live", 1);
        assertThat(cache.take("a", 1)).isNotNull();
    }
}
