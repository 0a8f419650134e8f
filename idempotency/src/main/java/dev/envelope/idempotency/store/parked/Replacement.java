package dev.envelope.idempotency.store.parked;

import org.jspecify.annotations.Nullable;

/**
 * The value that an operator has set in place of a message's.
 *
 * <p>The array is never changed.
 *
 * @param leaderEpoch of the message: one with another leader epoch at that offset is not replaced
 * @param value null for a tombstone
 */
public record Replacement(int source, long offset, int leaderEpoch, byte @Nullable [] value) {

    /** The most replaced values, since every process has them in memory. */
    public static final int MOST = 1_000;

    /** The largest value. */
    public static final int MOST_BYTES = 1 << 20;
}
