package dev.envelope.integration.bench.client;

import java.sql.SQLException;

/**
 * Runs a hand-written loop on a thread of its own; what it throws ends the process.
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

    private final Loop loop;
    private final Thread thread = new Thread(this::run, "loop");
    private volatile boolean closing;

    private LoopThread(Loop loop) {
        this.loop = loop;
    }

    static Client start(Loop loop) {
        LoopThread started = new LoopThread(loop);
        started.thread.start();
        return started;
    }

    private void run() {
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
        thread.join();
    }
}
