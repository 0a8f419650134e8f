package dev.envelope.integration.stack;

/**
 * A server of the local stack, whose every outage can be made and ended again.
 *
 * <p>Its address and its data outlast each of them.
 */
public interface Server {

    /** Starts it, with the data of the last time, and returns when it can be used. */
    void start();

    /** Asks it to end, and returns when it has. */
    void stop();

    /** The process that was started last. */
    ChildProcess process();

    /** Its port on loopback. */
    int port();

    /** Kills it with -9, with every process that it has started. */
    default void kill() {
        process().kill();
    }

    /** Freezes it: connections stay open, nothing is answered. */
    default void pause() {
        process().pause();
    }

    /** Ends {@link #pause()}. */
    default void resume() {
        process().resume();
    }
}
