package dev.envelope.core.workers;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;

/**
 * Workers for messages that do not depend on each other; the package says how they get them.
 *
 * <p>Threads: thread-safe (its places have a lock). No user's code is called under the lock, except
 * for a factory of pools.
 *
 * @param <M> a message
 * @param <R> an answer
 */
public final class IndependentPool<M, R> implements Worker<M, R>, AutoCloseable {

    /**
     * How the pool is made.
     *
     * @param behavior what its workers do, for those who look at it
     * @param size how many workers it begins with
     * @param mailbox how many messages may wait for each of them
     * @param attempts how many workers may die of one message before its sender is told
     * @param threads for workers, for instance {@code WorkerThreads.VIRTUAL.factory("calls")}
     */
    public record Shape(
            String behavior, int size, int mailbox, int attempts, ThreadFactory threads) {

        public Shape {
            if (size < 1 || mailbox < 1 || attempts < 1) {
                throw new IllegalArgumentException(
                        "size, mailbox and attempts must be at least 1: %d, %d, %d"
                                .formatted(size, mailbox, attempts));
            }
        }
    }

    /** Creates workers: the first ones, and those in place of dead ones. */
    @FunctionalInterface
    public interface Factory<A, M, R> {

        /**
         * Creates a worker.
         *
         * @param argument the pool's, the same each time
         */
        Worker<M, R> create(A argument) throws Exception;
    }

    /** Handles urgent messages, on the threads of those who send them. */
    @FunctionalInterface
    public interface Urgent<M, R> {

        /** It may, for instance, add workers. */
        R handle(M message, IndependentPool<M, R> pool) throws Exception;
    }

    private final Shape shape;
    private final Places<M, R> places;
    private final Urgent<M, R> urgent;

    private <A> IndependentPool(
            Shape shape, Factory<A, M, R> factory, A argument, Urgent<M, R> urgent) {
        this.shape = shape;
        this.urgent = urgent;
        this.places =
                new Places<>(
                        new Places.Kind(
                                shape.behavior(),
                                shape.mailbox(),
                                shape.attempts(),
                                shape.threads()),
                        () -> made(factory.create(argument)));
    }

    private static <M, R> Places.Made<M, R> made(Worker<M, R> worker) {
        return new Places.Made<>(
                worker, worker instanceof IndependentPool<M, R> inner ? inner.places : null);
    }

    /**
     * A pool that runs, without anybody for urgent messages.
     *
     * @param argument what each worker is created with
     * @throws Exception what the factory throws
     */
    public static <A, M, R> IndependentPool<M, R> start(
            Shape shape, Factory<A, M, R> factory, A argument) throws Exception {
        return start(
                shape,
                factory,
                argument,
                (message, pool) -> {
                    throw new UnsupportedOperationException("nobody handles urgent messages");
                });
    }

    /** A pool that runs. */
    public static <A, M, R> IndependentPool<M, R> start(
            Shape shape, Factory<A, M, R> factory, A argument, Urgent<M, R> urgent)
            throws Exception {
        IndependentPool<M, R> pool = new IndependentPool<>(shape, factory, argument, urgent);
        boolean hasStarted = false;
        try {
            pool.add(shape.size());
            hasStarted = true;
        } finally {
            if (!hasStarted) {
                pool.close();
            }
        }
        return pool;
    }

    /**
     * Sends a message to a worker.
     *
     * @return the answer; or, if as many workers have died of it as may, what the last one threw.
     *     If it is cancelled before a worker begins, the message is not handled
     * @throws PoolFullException if it was not taken
     */
    public CompletableFuture<R> ask(M message) {
        Letter<M, R> letter = new Letter<>(message, new CompletableFuture<>(), 0, null);
        if (!places.offer(letter)) {
            places.refused();
            throw new PoolFullException(
                    places.isClosed()
                            ? "the pool is closed"
                            : "the mailboxes of all workers are full");
        }
        return letter.reply();
    }

    /**
     * Has a message handled at once, past all that wait, by the caller's thread.
     *
     * @throws Exception what its handler throws
     */
    public R askUrgently(M message) throws Exception {
        return urgent.handle(message, this);
    }

    /** Sends it to a worker, and waits for the answer. */
    @Override
    public R handle(M message) throws Exception {
        return ask(message).get();
    }

    /**
     * Adds workers.
     *
     * @return how many there are
     * @throws Exception what the factory throws; those that were added before stay
     */
    public int add(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            places.add();
        }
        return size();
    }

    /**
     * Removes workers, but not the last one. They finish what they are at; what waits for them goes
     * to others, in order.
     *
     * @return how many there are
     */
    public int remove(int count) {
        return places.remove(count);
    }

    /** How many workers there are. */
    public int size() {
        return places.size();
    }

    /** What is known of the pool, under names that are usual for such pools. */
    public Map<String, Object> inspect() {
        Map<String, Object> items = new LinkedHashMap<>();
        items.put("pool_size", size());
        items.put("worker_behavior", shape.behavior());
        items.put("worker_mailbox_size", shape.mailbox());
        items.put("worker_restarts", places.restarts());
        items.put("messages_forwarded", places.forwarded());
        items.put("messages_unhandled", places.unhandled());
        return items;
    }

    /** Takes no more, and returns when all that it has taken is handled. */
    @Override
    public void close() {
        close(Duration.ofNanos(Long.MAX_VALUE));
    }

    /**
     * The same, but not longer than that: then workers are interrupted, and what waits is
     * cancelled.
     *
     * @return whether all was handled
     */
    public boolean close(Duration atMost) {
        return places.closeWithin(atMost.toNanos()) > 0;
    }
}
