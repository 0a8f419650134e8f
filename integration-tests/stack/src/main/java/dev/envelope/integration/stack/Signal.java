package dev.envelope.integration.stack;

/** A signal that a process can be sent. */
public enum Signal {
    /** Interrupt: what Ctrl-C sends, and what Postgres calls a fast shutdown. */
    INT,
    /** Hang up: the terminal is gone. */
    HUP,
    /** Terminate: the polite request to end. */
    TERM,
    /** A JVM answers with a thread dump in its log. */
    QUIT,
    /** Kill -9. */
    KILL,
    /** Freeze. */
    STOP,
    /** Go on after {@link #STOP}. */
    CONT
}
