package dev.envelope.core.workers;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * The place of a worker with a thread and a mailbox.
 *
 * <p>Threads: guarded by the pool's lock; the worker belongs to the thread.
 */
final class Desk<M, R> implements Place<M, R> {

    /** What it asks of the pool, without holding the lock. */
    interface Owner<M, R> {

        /** What it is to do next, waiting for it; null if it is to end. */
        @Nullable Letter<M, R> next(Desk<M, R> desk);

        /** A worker in place of a dead one. */
        Worker<M, R> another() throws Exception;

        /** Its worker has died of that message. */
        void died(Desk<M, R> desk, Letter<M, R> letter, Throwable cause);

        /** Whether the worker was interrupted for good. */
        boolean isTimeUp();

        void couldNotClose(Throwable e);

        /** Its thread ends. */
        void ended(Desk<M, R> desk);
    }

    private final Owner<M, R> pool;
    private final int capacity;
    private final ArrayDeque<Letter<M, R>> mailbox = new ArrayDeque<>();
    private final Condition news;
    private final Thread thread;
    private @Nullable Worker<M, R> worker; // null while a dead one is not replaced
    private boolean isDismissed;

    Desk(
            Owner<M, R> pool,
            Worker<M, R> worker,
            int capacity,
            Condition news,
            ThreadFactory threads) {
        this.pool = pool;
        this.worker = worker;
        this.capacity = capacity;
        this.news = news;
        this.thread = threads.newThread(this::work);
    }

    void start() {
        thread.start();
    }

    @Override
    public boolean offer(Letter<M, R> letter, boolean first) {
        if (mailbox.size() >= capacity) {
            return false;
        }
        if (first) {
            mailbox.addFirst(letter);
        } else {
            mailbox.addLast(letter);
        }
        news.signal();
        return true;
    }

    @Override
    public void wake() {
        news.signal();
    }

    @Override
    public List<Letter<M, R>> dismiss() {
        isDismissed = true;
        List<Letter<M, R>> waiting = new ArrayList<>(mailbox);
        mailbox.clear();
        news.signal();
        return waiting;
    }

    /** Pool: time is up. */
    void interrupt() {
        thread.interrupt();
    }

    /** Pool: whether it ends with the message that it is at. */
    boolean isDismissed() {
        return isDismissed;
    }

    /** Pool: its next message; null if none waits. */
    @Nullable Letter<M, R> poll() {
        return mailbox.pollFirst();
    }

    /** Pool: signalled when there is something to look at. */
    Condition news() {
        return news;
    }

    private void work() {
        try {
            for (@Nullable Letter<M, R> letter = pool.next(this);
                    letter != null;
                    letter = pool.next(this)) {
                handle(letter);
            }
        } finally {
            end();
            pool.ended(this);
        }
    }

    private void handle(Letter<M, R> letter) {
        if (letter.reply().isDone()) {
            return; // the sender does not wait for it any more
        }
        R answer;
        try {
            Worker<M, R> at = worker;
            if (at == null) {
                at = pool.another();
                worker = at;
            }
            answer = at.handle(letter.message());
        } catch (Throwable e) { // the one catch-all of this thread: it ends the worker
            end();
            pool.died(this, letter, e);
            return;
        } finally {
            if (!pool.isTimeUp()) {
                var unused = Thread.interrupted(); // left by the worker, and would hit the next one
            }
        }
        letter.reply().complete(answer);
    }

    private void end() {
        Worker<M, R> before = worker;
        worker = null;
        if (before instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Throwable e) { // or its message's sender would never hear of it
                pool.couldNotClose(e);
            }
        }
    }
}
