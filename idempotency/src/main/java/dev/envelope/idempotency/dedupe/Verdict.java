package dev.envelope.idempotency.dedupe;

/** What the marks of a key say of a message. */
public enum Verdict {
    /** Not yet in the saved history. */
    NEW,
    /** In the saved history already. */
    DUPLICATE,
    /**
     * Below the mark, yet written under a later leader epoch: the log was truncated and rewritten,
     * and what the mark counts as applied is not what the log holds now.
     */
    REWRITTEN
}
