package dev.envelope.integration.bench.client;

import java.sql.SQLException;
import java.util.List;

/**
 * Runs hand-written loops, each on a thread of its own; what one throws ends the process.
 *
 * <p>Threads: thread-safe (a volatile flag).
 */
final class LoopThread implements Client {

    /** A hand-written consumer, one round at a time. */
    interface Loop extends AutoCloseable {

        /** Polls, folds, saves. */
        void turn() throws SQLException;

        @Override
        void close() throws SQLException;
    }

    private final List<Thread> threads;
    private volatile boolean closing;

    private LoopThread(List<? extends Loop> loops) {
        threads = loops.stream().map(loop -> new Thread(() -> run(loop), "loop")).toList();
    }

    static Client start(Loop loop) {
        return start(List.of(loop));
    }

    static Client start(List<? extends Loop> loops) {
        LoopThread started = new LoopThread(loops);
        started.threads.forEach(Thread::start);
        return started;
    }

    private void run(Loop loop) {
        try (loop) {
            while (!closing) {
                loop.turn();
            }
        } catch (SQLException | RuntimeException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    @Override
    public void close() throws InterruptedException {
        closing = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
