/**
 * The types that every stage shares: message, envelope, epoch. It depends on no other package of
 * the project.
 *
 * <p><b>Epochs.</b> Every message carries the {@code PartitionEpoch} that it was fetched in. An
 * epoch goes from live to closing (nothing of it enters a turn, what is in one may still be acked)
 * to over (all that belongs to it is ignored). A partition that is assigned again has a new one, so
 * that late acks and results can't be mistaken for present ones (I6).
 *
 * <p><b>Failures.</b> An {@code UnavailableException} means that something outside can't serve: it
 * never counts against a message (I11). An {@code InvariantViolation} is a bug in the program: it
 * ends the consumer, and nothing is committed any more.
 */
@NullMarked
package dev.envelope.core.api;

import org.jspecify.annotations.NullMarked;
