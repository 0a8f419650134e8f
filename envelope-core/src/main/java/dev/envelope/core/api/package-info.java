/**
 * The words that every stage shares: what a message, an envelope and an epoch are. It depends on no
 * other package of the project.
 *
 * <p><b>Epochs.</b> Every message carries the {@code PartitionEpoch} that it was fetched in. An
 * epoch goes from live to closing (nothing of it enters a turn, what is in one may still be acked)
 * to over (nothing of it counts). A partition that comes back has a new one, so that nothing late
 * can be mistaken for the present (I6).
 *
 * <p><b>Whose fault.</b> An {@code UnavailableException} says that something outside can't serve:
 * it never counts against a message (I11). An {@code InvariantViolation} says that the program is
 * wrong: it ends the consumer, and nothing is committed any more.
 */
@NullMarked
package dev.envelope.core.api;

import org.jspecify.annotations.NullMarked;
