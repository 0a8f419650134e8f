package dev.envelope.core.workers;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue of a pool's workers, and which message each of them gets. A message that was taken and
 * has lost its place, because a worker has died or was removed, goes to others; while all are full
 * it waits here, before those that come later.
 *
 * <p>Threads: guarded by its lock. The lock of a pool in this pool may be taken under it, never the
 * other way round.
 */
final class Places<M, R> implements Desk.Owner<M, R> {

    private static final Logger log = LoggerFactory.getLogger(Places.class);

    /** A worker, and, if it is a pool, the places of that. */
    record Made<M, R>(Worker<M, R> worker, @Nullable Places<M, R> inner) {}

    /** Makes workers. */
    @FunctionalInterface
    interface Maker<M, R> {
        Made<M, R> make() throws Exception;
    }

    /** What each worker is like. */
    record Kind(String behavior, int mailbox, int attempts, ThreadFactory threads) {}

    private final Kind kind;
    private final Maker<M, R> maker;
    private final LongAdder restarts = new LongAdder();
    private final LongAdder forwarded = new LongAdder();
    private final LongAdder unhandled = new LongAdder();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition hasEnded = lock.newCondition();
    private final Deque<Place<M, R>> queue = new ArrayDeque<>();
    private final Deque<Letter<M, R>> homeless = new ArrayDeque<>();
    private final Set<Desk<M, R>> alive = new HashSet<>(); // also those that were removed
    private final List<NestedPool<M, R>> leaving = new ArrayList<>();
    private volatile boolean isClosed;
    private volatile boolean isTimeUp;
    private volatile @Nullable Places<M, R> outer; // of the pool whose worker this one is

    Places(Kind kind, Maker<M, R> maker) {
        this.kind = kind;
        this.maker = maker;
    }

    long restarts() {
        return restarts.sum();
    }

    long forwarded() {
        return forwarded.sum();
    }

    long unhandled() {
        return unhandled.sum();
    }

    boolean isClosed() {
        return isClosed;
    }

    void becomePartOf(Places<M, R> pool) {
        outer = pool;
    }

    void refused() {
        unhandled.increment();
    }

    /**
     * A new worker stands last.
     *
     * @throws Exception what the factory throws
     */
    void add() throws Exception {
        Made<M, R> made = maker.make();
        if (!add(made) && made.worker() instanceof AutoCloseable closeable) {
            closeable.close();
        }
        if (isClosed) {
            throw new PoolFullException("the pool is closed");
        }
    }

    private boolean add(Made<M, R> made) {
        lock.lock();
        try {
            if (isClosed) {
                return false;
            }
            Places<M, R> inner = made.inner();
            if (inner != null) {
                queue.addLast(new NestedPool<>(this, inner));
            } else {
                Desk<M, R> desk =
                        new Desk<>(
                                this,
                                made.worker(),
                                kind.mailbox(),
                                lock.newCondition(),
                                kind.threads());
                desk.start();
                alive.add(desk);
                queue.addLast(desk);
            }
            settle();
            return true;
        } finally {
            lock.unlock();
        }
    }

    int remove(int count) {
        lock.lock();
        try {
            for (int i = 0; i < count && queue.size() > 1; i++) {
                Place<M, R> place = queue.removeFirst();
                homeless.addAll(place.dismiss());
                if (place instanceof NestedPool<M, R> inner) {
                    leaving.add(inner);
                }
            }
            leaving.removeIf(NestedPool::hasEnded);
            settle();
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    int size() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    /** False if there is no room, or nothing more is taken. */
    boolean offer(Letter<M, R> letter) {
        lock.lock();
        try {
            if (isClosed) {
                return false;
            }
            settle(); // they were there before
            boolean isTaken = place(letter, false);
            if (isTaken) {
                forwarded.increment();
            }
            return isTaken;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void died(Desk<M, R> desk, Letter<M, R> letter, Throwable cause) {
        Letter<M, R> again = letter.afterDeathAt(desk);
        if (isTimeUp || again.deaths() >= kind.attempts() || !offerAgain(again)) {
            log.warn("{}: a worker has died of a message for the last time", kind.behavior());
            unhandled.increment();
            letter.reply().completeExceptionally(cause);
        }
    }

    /** Here, or, if this pool was removed from another one, there; false if there is nobody. */
    private boolean offerAgain(Letter<M, R> letter) {
        lock.lock();
        try {
            if (!queue.isEmpty()) {
                if (!place(letter, true)) {
                    homeless.addFirst(letter);
                    queue.forEach(Place::wake);
                }
                return true;
            }
        } finally {
            lock.unlock();
        }
        Places<M, R> above = outer;
        return above != null && above.offerAgain(letter);
    }

    /** A worker has taken a message: the pools around this one have room, too. */
    private void tellOfRoom() {
        for (Places<M, R> above = outer; above != null; above = above.outer) {
            above.lock.lock();
            try {
                above.settle();
                above.hasEnded.signalAll();
            } finally {
                above.lock.unlock();
            }
        }
    }

    @Override
    public Worker<M, R> another() throws Exception {
        restarts.increment();
        return maker.make().worker();
    }

    /** A pool in place of one that is closed; that one if there is none now. */
    Places<M, R> inPlaceOf(Places<M, R> closed) {
        restarts.increment();
        try {
            Places<M, R> inner = maker.make().inner();
            return inner == null ? closed : inner;
        } catch (Exception e) {
            log.warn("{}: a worker could not be replaced", kind.behavior(), e);
            return closed; // the next message is another attempt
        }
    }

    @Override
    public boolean isTimeUp() {
        return isTimeUp;
    }

    @Override
    public void couldNotClose(Throwable e) {
        log.warn("{}: a worker could not be closed", kind.behavior(), e);
    }

    private void settle() {
        homeless.removeIf(letter -> place(letter, false));
    }

    /** To the first of the queue that has room; each one that is asked stands last then. */
    private boolean place(Letter<M, R> letter, boolean first) {
        for (int left = queue.size(); left > 0; left--) {
            Place<M, R> next = queue.removeFirst();
            queue.addLast(next);
            if (mayHave(next, letter) && next.offer(letter, first)) {
                return true;
            }
        }
        return false;
    }

    private boolean mayHave(Place<M, R> place, Letter<M, R> letter) {
        return letter.avoids() != place || queue.size() == 1;
    }

    @Override
    public @Nullable Letter<M, R> next(Desk<M, R> desk) {
        @Nullable Letter<M, R> next = awaitNext(desk);
        if (next != null) {
            tellOfRoom();
        }
        return next;
    }

    private @Nullable Letter<M, R> awaitNext(Desk<M, R> desk) {
        lock.lock();
        try {
            while (!desk.isDismissed()) {
                @Nullable Letter<M, R> next = homelessFor(desk);
                if (next == null) {
                    next = desk.poll();
                }
                if (next != null) {
                    return next;
                } else if (isClosed) {
                    queue.remove(desk); // and gets nothing more
                    queue.forEach(Place::wake); // another may be the last one now
                    return null;
                }
                desk.news().awaitUninterruptibly();
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Letter<M, R> homelessFor(Desk<M, R> desk) {
        for (Iterator<Letter<M, R>> each = homeless.iterator(); each.hasNext(); ) {
            Letter<M, R> letter = each.next();
            if (mayHave(desk, letter)) {
                each.remove();
                return letter;
            }
        }
        return null;
    }

    @Override
    public void ended(Desk<M, R> desk) {
        lock.lock();
        try {
            alive.remove(desk);
            hasEnded.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes no more, and waits until all that was taken is handled. If the time is up before, or
     * the caller is interrupted, workers are interrupted and what waits is cancelled.
     *
     * @return what is left of the time, which is one for all that is nested; 0 if it did not do
     */
    long closeWithin(long nanos) {
        long left = awaitEnd(nanos);
        if (left <= 0) {
            isTimeUp = true;
            List<Letter<M, R>> waiting = dismiss(); // first: an interrupted one takes no other
            interrupt();
            waiting.forEach(it -> it.reply().cancel(false));
        }
        return left;
    }

    private long awaitEnd(long nanos) {
        long left = nanos;
        List<NestedPool<M, R>> nested = new ArrayList<>();
        lock.lock();
        try {
            isClosed = true;
            nested.addAll(leaving);
            for (Place<M, R> place : queue) {
                place.wake();
                if (place instanceof NestedPool<M, R> inner) {
                    nested.add(inner);
                }
            }
            while ((!alive.isEmpty() || !homeless.isEmpty()) && left > 0) {
                left = hasEnded.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            left = 0;
        } finally {
            lock.unlock();
        }
        for (NestedPool<M, R> inner : nested) {
            left = inner.closeWithin(Math.max(0, left));
        }
        return left;
    }

    /** Whether no worker with a thread is at anything any more. */
    boolean haveEnded() {
        lock.lock();
        try {
            return alive.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more, and gives back what waits, in order; each finishes what it is at. */
    List<Letter<M, R>> dismiss() {
        lock.lock();
        try {
            isClosed = true;
            List<Letter<M, R>> waiting = new ArrayList<>(homeless);
            homeless.clear();
            queue.forEach(it -> waiting.addAll(it.dismiss()));
            queue.clear();
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    private void interrupt() {
        lock.lock();
        try {
            alive.forEach(Desk::interrupt);
        } finally {
            lock.unlock();
        }
    }
}
