package dev.envelope.idempotency.store.parked;

import org.jspecify.annotations.Nullable;

/**
 * What an operator has put in the place of a message's value.
 *
 * <p>Nobody changes the array.
 *
 * @param leaderEpoch of the message: another one at that offset is not replaced
 * @param value null for a tombstone
 */
public record Replacement(int source, long offset, int leaderEpoch, byte @Nullable [] value) {

    /** So many may stand: every process has them in memory. */
    public static final int MOST = 1_000;

    /** So long one may be. */
    public static final int MOST_BYTES = 1 << 20;
}
