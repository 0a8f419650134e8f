package dev.envelope.integration.bench.client;

import java.sql.SQLException;

/**
 * A contestant at work: consumes until it is closed, and tells the observer what is durable.
 *
 * <p>Threads: one of its own, or more.
 */
public interface Client {

    /** Ends it, and waits for its end. What it keeps elsewhere than in rows, it brings there. */
    void close() throws InterruptedException, SQLException;
}
