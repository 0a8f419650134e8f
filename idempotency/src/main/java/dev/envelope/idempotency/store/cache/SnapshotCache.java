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
 * The snapshots of rows that this process saved or loaded last, limited in bytes. It only saves
 * reads: if another process has changed a row meanwhile, the compare-and-set fails.
 *
 * <p>An entry is used only for messages of its epoch or an older one. So what was cached before a
 * partition was lost, or in an earlier incarnation of the database, is never used afterwards (I12).
 *
 * <p>Keys are spread over stripes. Each stripe evicts by the clock algorithm: a hand goes around
 * the entries and drops those that were not taken since it last passed. That is cheap, and a pass
 * over many keys that never come again does not evict the keys in use.
 *
 * <p>Threads: thread-safe (each stripe has a lock, under which nothing else is called); an entry
 * belongs to the worker that runs its key.
 *
 * @param <S> the state of a key
 */
public final class SnapshotCache<S> {

    private static final int ENTRY_OVERHEAD = 200;
    private static final long STRIPE_BYTES =
            16 << 20; // at least, so that the largest entry fits in one
    private static final int MAX_STRIPES = 16;

    /** A cached snapshot, with the live object if that was not taken yet. */
    public record Hit<S>(Snapshot snapshot, @Nullable S live) {}

    private final Stripe<S>[] stripes;
    private final long maxAgeNanos;
    private final LongSupplier ticker;

    /** For a store that purges no rows. */
    public SnapshotCache(long maxBytes) {
        this(maxBytes, Duration.ofNanos(Long.MAX_VALUE), () -> 0);
    }

    /**
     * @param maxAge after which an entry is not used any more; well below the time after which rows
     *     are purged, since the versions of a purged key start over
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
        // Not the bits that choose the shard, so that the keys of a shard use all stripes.
        return stripes[((key.hashCode() * 0x9E3779B9) >>> 8) % stripes.length];
    }

    /**
     * Takes the entry of a key if its epoch is this one or a younger one. The live object is handed
     * out once, since a fold that fails may leave it changed halfway.
     */
    public @Nullable Hit<S> take(String key, long epoch) {
        return stripe(key).take(key, epoch, ticker.getAsLong(), maxAgeNanos);
    }

    /**
     * An entry, for people and callers outside.
     *
     * @param age since it was put in
     */
    public record Seen(Snapshot snapshot, long epoch, Duration age) {}

    /** The entry of a key, which stays as it is; null if there is none. */
    public @Nullable Seen look(String key) {
        return stripe(key).look(key, ticker.getAsLong());
    }

    /** Caches what was saved or loaded; the epoch is the youngest of the messages. */
    public void put(Snapshot snapshot, @Nullable S live, long epoch) {
        stripe(snapshot.key()).put(snapshot, live, epoch, ticker.getAsLong(), true);
    }

    /**
     * Caches a row that was saved for the first time, if no other entry must be evicted: many keys
     * never come again.
     */
    public void putIfRoomy(Snapshot snapshot, @Nullable S live, long epoch) {
        stripe(snapshot.key()).put(snapshot, live, epoch, ticker.getAsLong(), false);
    }

    /** Removes a row whose present state is unknown. */
    public void forget(String key) {
        stripe(key).forget(key);
    }

    /** The present number of entries. */
    public long size() {
        long size = 0;
        for (Stripe<S> stripe : stripes) {
            size += stripe.size();
        }
        return size;
    }

    /** The number of evictions so far. */
    public long evictions() {
        long evictions = 0;
        for (Stripe<S> stripe : stripes) {
            evictions += stripe.evictions();
        }
        return evictions;
    }

    /** A saved row, perhaps with the live object that it was made from. */
    private static final class Entry<S> {
        private Snapshot snapshot;
        private @Nullable S live;
        private long epoch;
        private long since;
        private boolean isWanted; // taken since the hand last passed
        private Entry<S> before = this; // neighbours in the ring
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
        // The live object is estimated at three times its JSON.
        long bytes = ENTRY_OVERHEAD + 2L * snapshot.key().length();
        bytes += state == null ? 0 : 4L * state.length;
        bytes += ids == null ? 0 : ids.length;
        return bytes;
    }

    /** A part of the keys, with the ring of its entries. */
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

        synchronized @Nullable Seen look(String key, long now) {
            Entry<S> entry = entries.get(key);
            return entry == null
                    ? null
                    : new Seen(entry.snapshot, entry.epoch, Duration.ofNanos(now - entry.since));
        }

        /**
         * @param makesRoom whether other entries may be evicted for it; if not, a new entry is
         *     added only while the stripe is at most nine tenths full
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
                entry.enterBefore(hand); // the hand reaches it last
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
