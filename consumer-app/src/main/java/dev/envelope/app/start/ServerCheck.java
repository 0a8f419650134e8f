package dev.envelope.app.start;

/**
 * Looks at a server that the process can't start without.
 *
 * <p>Threads: one look at a time.
 */
public interface ServerCheck {

    /** What people call it. */
    String name();

    /** Looks once; blocks for some seconds at most. */
    Verdict look();
}
