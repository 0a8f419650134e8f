package dev.envelope.idempotency.store;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots of rows that this process saved or loaded last, within a bound in bytes. It saves reads
 * and nothing else: a row that somebody else has changed meanwhile is found out by the
 * compare-and-set.
 *
 * <p>An entry may be used by messages of epochs that are not younger than it: so what was cached
 * before a partition was lost, or in an earlier life of the database, is never used after (I12).
 *
 * <p>Threads: thread-safe (Caffeine); an entry belongs to whoever runs its key.
 *
 * @param <S> the state of a key
 */
public final class SnapshotCache<S> {

    private static final int ENTRY_OVERHEAD = 200;
    private static final int LOOK_EVERY = 512;

    /** The bytes as saved, and perhaps the live object that they were made from. */
    private static final class Entry<S> {
        private final Snapshot snapshot;
        private final long epoch;
        private final long since;
        private @Nullable S live;

        Entry(Snapshot snapshot, @Nullable S live, long epoch, long since) {
            this.since = since;
            this.snapshot = snapshot;
            this.live = live;
            this.epoch = epoch;
        }
    }

    /** What the cache had: a snapshot, and the live object if nobody has taken it yet. */
    public record Hit<S>(Snapshot snapshot, @Nullable S live) {}

    private final Cache<String, Entry<S>> cache;
    private final Policy.Eviction<String, Entry<S>> eviction;
    private final long maxAgeNanos;
    private final LongSupplier ticker;
    private final AtomicInteger firstSaves = new AtomicInteger();
    private volatile boolean isRoomy;

    /** Of a store that purges no rows. */
    public SnapshotCache(long maxBytes) {
        this(maxBytes, Duration.ofNanos(Long.MAX_VALUE), () -> 0);
    }

    /**
     * @param maxAge after which an entry is not used any more: well below the time after which rows
     *     are purged, for the versions of a purged key begin anew
     * @param ticker the time in nanoseconds
     */
    public SnapshotCache(long maxBytes, Duration maxAge, LongSupplier ticker) {
        this.maxAgeNanos = maxAge.toNanos();
        this.ticker = ticker;
        cache =
                Caffeine.newBuilder()
                        .maximumWeight(maxBytes)
                        .weigher((String key, Entry<S> entry) -> weight(key, entry))
                        .executor(Runnable::run)
                        .build();
        eviction = cache.policy().eviction().orElseThrow();
    }

    private static int weight(String key, Entry<?> entry) {
        byte[] state = entry.snapshot.state();
        byte[] ids = entry.snapshot.ids();
        // The live object is taken to weigh three times its JSON.
        long weight = ENTRY_OVERHEAD + 2L * key.length();
        weight += state == null ? 0 : 4L * state.length;
        weight += ids == null ? 0 : ids.length;
        return (int) Math.min(Integer.MAX_VALUE, weight);
    }

    /**
     * Takes what is there for a message of that epoch, or younger. The live object is handed out
     * once: a fold that fails may leave it changed halfway.
     */
    public @Nullable Hit<S> take(String key, long epoch) {
        Entry<S> entry = cache.getIfPresent(key);
        if (entry == null
                || entry.epoch < epoch
                || ticker.getAsLong() - entry.since > maxAgeNanos) {
            return null;
        }
        S live = entry.live;
        entry.live = null;
        return new Hit<>(entry.snapshot, live);
    }

    /** Keeps what was saved, or loaded, while that epoch was the youngest of its messages. */
    public void put(Snapshot snapshot, @Nullable S live, long epoch) {
        cache.put(snapshot.key(), new Entry<>(snapshot, live, epoch, ticker.getAsLong()));
    }

    /**
     * Keeps what was saved for the first time, as long as nothing has to go for it: many keys never
     * come again.
     */
    public void putIfRoomy(Snapshot snapshot, @Nullable S live, long epoch) {
        if (firstSaves.getAndIncrement() % LOOK_EVERY == 0) { // a look takes the cache's lock
            isRoomy = eviction.weightedSize().orElse(0) < eviction.getMaximum() / 10 * 9;
        }
        if (isRoomy) {
            put(snapshot, live, epoch);
        }
    }

    /** Forgets a row: nobody knows what it is now. */
    public void forget(String key) {
        cache.invalidate(key);
    }

    /** Entries, more or less. */
    public long size() {
        return cache.estimatedSize();
    }
}
