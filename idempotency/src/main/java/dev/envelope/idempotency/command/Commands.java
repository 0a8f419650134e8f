package dev.envelope.idempotency.command;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Puts commands into the log and waits for what becomes of them.
 *
 * <p>Threads: thread-safe. Futures are completed on its own thread: what runs behind them must not
 * block.
 */
public final class Commands implements AutoCloseable {

    /**
     * How much may be under way.
     *
     * @param waiting calls that have no outcome yet
     * @param bytes of commands that the brokers have not acknowledged yet; half of it is the
     *     producer's buffer
     */
    public record Limits(int waiting, long bytes) {}

    /**
     * What is under way, and what there was since the start.
     *
     * @param waiting calls that have no outcome yet
     * @param bytes of commands that the brokers have not acknowledged yet
     * @param produced records that are in the log
     * @param settled calls that got the answer to a command
     * @param repeated those of them that found it at once
     * @param timeOver calls whose time was over
     * @param busy calls that were turned away
     */
    public record Status(
            int waiting,
            long bytes,
            long produced,
            long settled,
            long repeated,
            long timeOver,
            long busy) {}

    /**
     * Puts a command into the log, unless there is an answer to it already.
     *
     * @param wait how long to wait for the answer; {@link Duration#ZERO} to wait only until it is
     *     in the log
     * @return never completed with an exception
     */
    public CompletableFuture<Outcome> send(Command command, Duration wait) {
        return CompletableFuture.completedFuture(new Outcome.Busy("not built yet"));
    }

    /** What is under way now. */
    public Status status() {
        return new Status(0, 0, 0, 0, 0, 0, 0);
    }

    /** Gives each call that is under way an outcome, and ends its threads. */
    @Override
    public void close() {}
}
