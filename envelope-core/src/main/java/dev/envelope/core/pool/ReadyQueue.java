package dev.envelope.core.pool;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.mailbox.ReadyShards;
import dev.envelope.core.mailbox.Shard;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The shards that have something to do, oldest first.
 *
 * <p>Threads: guarded by its lock.
 */
final class ReadyQueue implements ReadyShards {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition();
    private final ArrayDeque<Ready> shards = new ArrayDeque<>();
    private final Ticker ticker;
    private long added;
    private long taken;
    private long addedAtLastLook;
    private int wakeUps; // calls of wakeAll, which end waits although the queue is empty

    ReadyQueue(Ticker ticker) {
        this.ticker = ticker;
    }

    private record Ready(Shard shard, long since) {}

    /**
     * What one worker takes at a time.
     *
     * @param waitedNanos how long the first of them had been ready
     */
    record Share(List<Shard> shards, long waitedNanos) {

        boolean isEmpty() {
            return shards.isEmpty();
        }
    }

    @Override
    public void ready(Shard shard) {
        lock.lock();
        try {
            shards.addLast(new Ready(shard, ticker.nanoTime()));
            added++;
            notEmpty.signal();
        } finally {
            lock.unlock();
        }
    }

    /** One worker's fair share of the ready shards; empty if there are none. */
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
            while (shards.isEmpty() && wakeUps == wakeUpsSeen) {
                notEmpty.awaitUninterruptibly();
            }
            return share(workers);
        } finally {
            lock.unlock();
        }
    }

    private Share share(int workers) {
        Ready first = shards.peekFirst();
        int size = (shards.size() + workers - 1) / workers;
        List<Shard> share = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            share.add(shards.removeFirst().shard());
        }
        taken += size;
        return new Share(share, first == null ? 0 : ticker.nanoTime() - first.since());
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
            notEmpty.signalAll();
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
            return shards.size();
        } finally {
            lock.unlock();
        }
    }
}
