package dev.envelope.idempotency.store.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.envelope.idempotency.store.row.Snapshot;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots of rows that this process saved or loaded last, within a bound in bytes. It saves reads
 * and nothing else: a row that somebody else has changed meanwhile is found out by the
 * compare-and-set.
 *
 * <p>An entry may be used by messages of epochs that are not younger than it: so what was cached
 * before a partition was lost, or in an earlier life of the database, is never used after (I12).
 *
 * <p>Keys are spread over stripes. In each a hand goes around the entries, as that of a clock, and
 * drops those that were not taken since it last came by: it costs next to nothing, and one pass
 * over many keys that never come again leaves those that do.
 *
 * <p>Threads: thread-safe (a stripe has a lock, under which nothing is called); an entry belongs to
 * whoever runs its key.
 *
 * @param <S> the state of a key
 */
public final class SnapshotCache<S> {

    private static final int ENTRY_OVERHEAD = 200;
    private static final long STRIPE_BYTES = 16 << 20; // at least: the largest entry fits in one
    private static final int MAX_STRIPES = 16;

    /** What the cache had: a snapshot, and the live object if nobody has taken it yet. */
    public record Hit<S>(Snapshot snapshot, @Nullable S live) {}

    private final Stripe<S>[] stripes;
    private final long maxAgeNanos;
    private final LongSupplier ticker;

    /** Of a store that purges no rows. */
    public SnapshotCache(long maxBytes) {
        this(maxBytes, Duration.ofNanos(Long.MAX_VALUE), () -> 0);
    }

    /**
     * @param maxAge after which an entry is not used any more: well below the time after which rows
     *     are purged, for the versions of a purged key begin anew
     * @param ticker the time in nanoseconds
     */
    @SuppressWarnings("unchecked")
    public SnapshotCache(long maxBytes, Duration maxAge, LongSupplier ticker) {
        this.maxAgeNanos = maxAge.toNanos();
        this.ticker = ticker;
        int count = (int) Math.max(1, Math.min(MAX_STRIPES, maxBytes / STRIPE_BYTES));
        this.stripes =
                IntStream.range(0, count)
                        .mapToObj(i -> new Stripe<S>(maxBytes / count))
                        .toArray(Stripe[]::new);
    }

    private Stripe<S> stripe(String key) {
        // Other bits than those by which a key has its shard, so that a shard has all stripes.
        return stripes[((key.hashCode() * 0x9E3779B9) >>> 8) % stripes.length];
    }

    /**
     * Takes what is there for a message of that epoch, or younger. The live object is handed out
     * once: a fold that fails may leave it changed halfway.
     */
    public @Nullable Hit<S> take(String key, long epoch) {
        return stripe(key).take(key, epoch, ticker.getAsLong(), maxAgeNanos);
    }

    /** Keeps what was saved, or loaded, while that epoch was the youngest of its messages. */
    public void put(Snapshot snapshot, @Nullable S live, long epoch) {
        stripe(snapshot.key()).put(snapshot, live, epoch, ticker.getAsLong(), true);
    }

    /**
     * Keeps what was saved for the first time, as long as nothing has to go for it: many keys never
     * come again.
     */
    public void putIfRoomy(Snapshot snapshot, @Nullable S live, long epoch) {
        stripe(snapshot.key()).put(snapshot, live, epoch, ticker.getAsLong(), false);
    }

    /** Forgets a row: nobody knows what it is now. */
    public void forget(String key) {
        stripe(key).forget(key);
    }

    /** Entries at the moment. */
    public long size() {
        long size = 0;
        for (Stripe<S> stripe : stripes) {
            size += stripe.size();
        }
        return size;
    }

    /** How many had to go for others so far. */
    public long evictions() {
        long evictions = 0;
        for (Stripe<S> stripe : stripes) {
            evictions += stripe.evictions();
        }
        return evictions;
    }

    /** The bytes as saved, and perhaps the live object that they were made from. */
    private static final class Entry<S> {
        private Snapshot snapshot;
        private @Nullable S live;
        private long epoch;
        private long since;
        private boolean isWanted; // taken since the hand last came by
        private Entry<S> before = this; // around the clock
        private Entry<S> after = this;

        Entry(Snapshot snapshot, @Nullable S live, long epoch, long since) {
            this.snapshot = snapshot;
            this.live = live;
            this.epoch = epoch;
            this.since = since;
        }

        void hold(Snapshot next, @Nullable S nextLive, long nextEpoch, long now) {
            snapshot = next;
            live = nextLive;
            epoch = nextEpoch;
            since = now;
        }

        void enterBefore(Entry<S> next) {
            before = next.before;
            after = next;
            before.after = this;
            next.before = this;
        }

        void leave() {
            before.after = after;
            after.before = before;
        }
    }

    private static long bytes(Snapshot snapshot) {
        byte[] state = snapshot.state();
        byte[] ids = snapshot.ids();
        // The live object is taken to weigh three times its JSON.
        long bytes = ENTRY_OVERHEAD + 2L * snapshot.key().length();
        bytes += state == null ? 0 : 4L * state.length;
        bytes += ids == null ? 0 : ids.length;
        return bytes;
    }

    /** Some of the keys, and the clock that they stand around. */
    private static final class Stripe<S> {
        private final long maxBytes;

        @GuardedBy("this")
        private final Map<String, Entry<S>> entries = new HashMap<>();

        @GuardedBy("this")
        private @Nullable Entry<S> hand; // null without entries

        @GuardedBy("this")
        private long heldBytes;

        @GuardedBy("this")
        private long evictions;

        Stripe(long maxBytes) {
            this.maxBytes = maxBytes;
        }

        synchronized @Nullable Hit<S> take(String key, long epoch, long now, long maxAgeNanos) {
            Entry<S> entry = entries.get(key);
            if (entry == null || entry.epoch < epoch || now - entry.since > maxAgeNanos) {
                return null;
            }
            entry.isWanted = true;
            S live = entry.live;
            entry.live = null;
            return new Hit<>(entry.snapshot, live);
        }

        /**
         * @param makesRoom whether others may have to go for it; else it is left out at nine tenths
         */
        synchronized void put(
                Snapshot snapshot, @Nullable S live, long epoch, long now, boolean makesRoom) {
            long bytes = bytes(snapshot);
            Entry<S> entry = entries.get(snapshot.key());
            if (bytes > maxBytes) {
                forget(snapshot.key());
            } else if (entry != null) {
                heldBytes += bytes - bytes(entry.snapshot);
                entry.hold(snapshot, live, epoch, now);
            } else if (makesRoom || heldBytes + bytes <= maxBytes / 10 * 9) {
                heldBytes += bytes;
                add(new Entry<>(snapshot, live, epoch, now));
            }
            while (hand != null && heldBytes > maxBytes) {
                passBy(hand);
            }
        }

        @GuardedBy("this")
        private void add(Entry<S> entry) {
            entries.put(entry.snapshot.key(), entry);
            if (hand == null) {
                hand = entry;
            } else {
                entry.enterBefore(hand); // it comes by last
            }
        }

        @GuardedBy("this")
        private void passBy(Entry<S> entry) {
            if (entry.isWanted) {
                entry.isWanted = false;
                hand = entry.after;
            } else {
                forget(entry.snapshot.key());
                evictions++;
            }
        }

        synchronized void forget(String key) {
            Entry<S> entry = entries.remove(key);
            if (entry != null) {
                heldBytes -= bytes(entry.snapshot);
                if (hand == entry) {
                    hand = entry.after == entry ? null : entry.after;
                }
                entry.leave();
            }
        }

        synchronized int size() {
            return entries.size();
        }

        synchronized long evictions() {
            return evictions;
        }
    }
}
