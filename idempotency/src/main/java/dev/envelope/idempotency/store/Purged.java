package dev.envelope.idempotency.store;

/**
 * The result of purging one slice of the table.
 *
 * @param rows how many were deleted
 * @param goesOn whether more of the table is to be examined now
 */
public record Purged(int rows, boolean goesOn) {

    /** Another process has the lease, or the next purge is not due yet. */
    public static final Purged NOT_NOW = new Purged(0, false);
}
