/**
 * Operators' requests about parked messages and rows, and how they are carried out.
 *
 * <p>A process can do this without owning the key's partition. While the row counts parked
 * messages, each new message from the log is parked behind them, in the same compare-and-set;
 * taking parked messages out decreases the count by a compare-and-set, too. So the last one can be
 * taken out only if none was added meanwhile, and the key's order holds even if several processes
 * do this at once. Parking does not change the state, so what was folded meanwhile is saved onto
 * the current row, and a redrive succeeds even for a key that gets messages all the time. A row is
 * repaired by a compare-and-set from the version that the operator has seen.
 */
@NullMarked
package dev.envelope.idempotency.redrive;

import org.jspecify.annotations.NullMarked;
