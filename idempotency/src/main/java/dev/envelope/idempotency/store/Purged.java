package dev.envelope.idempotency.store;

/**
 * What came of one look for rows of deleted keys.
 *
 * @param rows how many were taken away
 * @param goesOn whether there is more of the table to look at now
 */
public record Purged(int rows, boolean goesOn) {

    /** Another process is at it, or it is not time yet. */
    public static final Purged NOT_NOW = new Purged(0, false);
}
