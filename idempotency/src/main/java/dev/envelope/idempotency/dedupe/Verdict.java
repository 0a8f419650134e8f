package dev.envelope.idempotency.dedupe;

/** Whether a message is new to a key, by its marks. */
public enum Verdict {
    /** Not yet in the saved history. */
    NEW,
    /** In the saved history already. */
    DUPLICATE,
    /**
     * Below the mark, but written in a later leader epoch than the mark's: the log was truncated
     * and rewritten, so the applied records are not those that the log has now.
     */
    REWRITTEN
}
