package dev.envelope.integration.bench.client;

/**
 * A contestant at work: consumes until it is closed, and tells the stopwatch what is durable.
 *
 * <p>Threads: one of its own, or more.
 */
interface Client {

    /** Ends it, and waits for its end. */
    void close() throws InterruptedException;
}
