package dev.envelope.app.start;

/**
 * A check of a server that the process needs for a start.
 *
 * <p>Threads: one check at a time.
 */
public interface ServerCheck {

    /** The server's name in messages. */
    String name();

    /** Checks once; blocks for some seconds at most. */
    Verdict look();
}
