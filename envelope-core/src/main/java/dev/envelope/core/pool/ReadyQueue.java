package dev.envelope.core.pool;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.mailbox.ReadyShards;
import dev.envelope.core.mailbox.Shard;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The shards that have something to do, oldest first. A worker takes shards of one place at a time.
 * Where there are several, not all workers may be at the same one: those at a place that does not
 * answer wait for it, and others have to be left for the rest.
 *
 * <p>Threads: guarded by its lock.
 */
final class ReadyQueue implements ReadyShards {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<AtPlace> places = new ArrayList<>(); // those that have had a shard
    private final Ticker ticker;
    private long added;
    private long taken;
    private long addedAtLastLook;
    private int wakeUps; // calls of wakeAll, which end waits although the queue is empty

    ReadyQueue(Ticker ticker) {
        this.ticker = ticker;
    }

    private record Ready(Shard shard, long since) {}

    /** The ready shards of a place, and how many workers are at its shards now. */
    private static final class AtPlace {
        private final ArrayDeque<Ready> shards = new ArrayDeque<>();
        private int workers;
    }

    /**
     * What one worker takes at a time.
     *
     * @param waitedNanos how long the first of them had been ready
     */
    record Share(List<Shard> shards, long waitedNanos) {

        private static final Share NOTHING = new Share(List.of(), 0);

        boolean isEmpty() {
            return shards.isEmpty();
        }
    }

    @Override
    public void ready(Shard shard) {
        lock.lock();
        try {
            while (places.size() <= shard.place()) {
                places.add(new AtPlace());
            }
            places.get(shard.place()).shards.addLast(new Ready(shard, ticker.nanoTime()));
            added++;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** One worker's fair share of the ready shards of a place; empty if there are none. */
    Share takeShare(int workers) {
        lock.lock();
        try {
            return share(workers);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The same, but waits for a ready shard or for {@link #wakeAll}. An interrupt, which user code
     * may have left on this thread, does not end the wait.
     *
     * @param wakeUpsSeen {@link #wakeUps} before the caller's last look at the pool: if it has
     *     grown since then, the wait ends at once
     */
    Share awaitShare(int workers, int wakeUpsSeen) {
        lock.lock();
        try {
            Share share = share(workers);
            while (share.isEmpty() && wakeUps == wakeUpsSeen) {
                changed.awaitUninterruptibly();
                share = share(workers);
            }
            return share;
        } finally {
            lock.unlock();
        }
    }

    private Share share(int workers) {
        @Nullable AtPlace next = null;
        for (AtPlace place : places) {
            if (!place.shards.isEmpty()
                    && mayTake(place, workers)
                    && (next == null || since(place) < since(next))) {
                next = place;
            }
        }
        if (next == null) {
            return Share.NOTHING;
        }
        long first = since(next);
        int size = Math.min(next.shards.size(), fair(next.shards.size(), workers));
        List<Shard> share = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            share.add(next.shards.removeFirst().shard());
        }
        next.workers++;
        taken += size;
        return new Share(share, ticker.nanoTime() - first);
    }

    private static long since(AtPlace place) {
        return place.shards.getFirst().since();
    }

    /** With all places equally busy, each has so many workers. */
    private int fair(int ready, int workers) {
        return (ready * places.size() + workers - 1) / workers;
    }

    /**
     * So that a place that does not answer has its part of the workers and not more, and one is
     * left for each place that has none.
     */
    private boolean mayTake(AtPlace place, int workers) {
        if (place.workers == 0 || places.size() == 1) {
            return true;
        }
        int others = places.size() - 1;
        int idle = workers;
        int without = 0;
        for (AtPlace each : places) {
            idle -= each.workers;
            without += each.workers == 0 ? 1 : 0;
        }
        return place.workers < (workers - 1 + others - 1) / others && idle > without;
    }

    /** A worker is through with its share of that place, or it was taken from it. */
    void ended(int place) {
        lock.lock();
        try {
            places.get(place).workers--;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Whether a shard that was ready at the last look has waited for a worker ever since. */
    boolean hasWaitedSinceLastLook() {
        lock.lock();
        try {
            boolean hasWaited = taken < addedAtLastLook;
            addedAtLastLook = added;
            return hasWaited;
        } finally {
            lock.unlock();
        }
    }

    /** Wakes every waiting worker, so that it looks at the pool again. */
    void wakeAll() {
        lock.lock();
        try {
            wakeUps++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** How often {@link #wakeAll} was called. */
    int wakeUps() {
        lock.lock();
        try {
            return wakeUps;
        } finally {
            lock.unlock();
        }
    }

    int size() {
        lock.lock();
        try {
            return places.stream().mapToInt(place -> place.shards.size()).sum();
        } finally {
            lock.unlock();
        }
    }
}
