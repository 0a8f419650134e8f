package dev.envelope.idempotency.store.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.row.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
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

    @Test
    void theLiveObjectIsHandedOutOnceAndToNoYoungerEpoch() {
        Snapshot row = row("a", 10);
        cache.put(row, "live", 3);

        assertThat(cache.take("a", 4)).isNull();
        assertThat(cache.take("a", 3)).isEqualTo(new SnapshotCache.Hit<>(row, "live"));
        assertThat(cache.take("a", 2)).isEqualTo(new SnapshotCache.Hit<>(row, null));
        cache.forget("a");
        assertThat(cache.take("a", 3)).isNull();
        assertThat(cache.size()).isZero();
    }

    @Test
    void whatIsTakenNowAndThenStaysWhileManyThatAreNotGoBy() {
        int others = 0;
        cache.put(row("wanted", 1_000), null, 1);
        for (; others < 10_000; others++) {
            cache.put(row("other " + others, 1_000), null, 1);
            if (others % 100 == 0) {
                assertThat(cache.take("wanted", 1)).as("after %d others", others).isNotNull();
            }
        }

        assertThat(cache.size()).isBetween(200L, 260L); // of 4 kB each, in a megabyte
        assertThat(cache.evictions() + cache.size()).isGreaterThanOrEqualTo(others);
        assertThat(cache.take("other " + (others - 1), 1)).isNotNull();
        assertThat(cache.take("other 0", 1)).isNull();
    }

    @Test
    void forWhatWasSavedTheFirstTimeNothingHasToGo() {
        for (int i = 0; i < 1_000; i++) {
            cache.putIfRoomy(row("first " + i, 1_000), null, 1);
        }
        long size = cache.size();

        assertThat(size).isBetween(200L, 240L);
        assertThat(cache.take("first 0", 1)).isNotNull();
        assertThat(cache.take("first 999", 1)).isNull();
    }

    @Test
    void aRowThatGrowsIsWeighedAnewAndOneThatIsTooLargeIsNotKept() {
        for (int i = 0; i < 200; i++) {
            cache.put(row("small " + i, 10), null, 1);
        }
        cache.put(row("small 7", 200_000), null, 1);
        assertThat(cache.take("small 7", 1)).isNotNull();
        assertThat(cache.size()).isEqualTo(200);

        cache.put(row("small 7", 300_000), null, 1);
        assertThat(cache.take("small 7", 1)).isNull();
        assertThat(cache.size()).isEqualTo(199);
    }

    @Test
    void rowsThatGrowPushOthersOut() {
        cache.put(row("a", 10), null, 1);
        cache.put(row("b", 10), null, 1);
        cache.put(row("a", 200_000), null, 1);
        cache.put(row("b", 200_000), null, 1); // of 800 kB each, in a megabyte

        assertThat(cache.size()).isEqualTo(1);
    }

    /** As many bytes as the defaults allow for the cache and for a state. */
    @Test
    void theLargestStateHasRoomInTheCacheOfTheDefaults() {
        SnapshotCache<String> ordinary = new SnapshotCache<>(64 << 20);
        ordinary.put(row("large", 1 << 20), null, 1);

        assertThat(ordinary.take("large", 1)).isNotNull();
    }

    @Test
    void withoutBytesNothingIsKept() {
        SnapshotCache<String> none = new SnapshotCache<>(0);
        none.put(row("a", 1), null, 1);
        none.putIfRoomy(row("b", 1), null, 1);

        assertThat(none.size()).isZero();
    }

    /** Each key has one thread, as it has in the engine; the stripes they share. */
    @Test
    void threadsWithKeysOfTheirOwnDoNotGetInEachOthersWay() throws InterruptedException {
        SnapshotCache<String> shared = new SnapshotCache<>(64 << 20);
        List<String> wrong = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < 4; number++) {
            String prefix = number + " ";
            threads.add(new Thread(() -> putAndTake(shared, prefix, wrong)));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(wrong).isEmpty();
        assertThat(shared.size()).isBetween(4 * 1_000L, 4 * 5_000L);
    }

    private static void putAndTake(SnapshotCache<String> to, String prefix, List<String> wrong) {
        for (int i = 0; i < 50_000; i++) {
            String key = prefix + i % 5_000;
            SnapshotCache.Hit<String> hit = to.take(key, 1);
            if (hit != null && !key.equals(hit.live())) {
                wrong.add(key + " has " + hit.live());
            }
            to.put(row(key, 1_000), key, 1);
        }
    }

    private static Snapshot row(String key, int stateBytes) {
        return new Snapshot(key, 1, new byte[stateBytes], Marks.NONE, null, 0);
    }
}
