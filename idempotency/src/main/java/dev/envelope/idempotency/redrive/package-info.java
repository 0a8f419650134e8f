/**
 * What operators ask to be done with parked messages and with rows, and how it is done.
 *
 * <p>Nobody has to own the key for it. As long as the row counts parked messages, whatever comes
 * from the log is parked behind them, in the same compare-and-set; and whoever takes parked
 * messages out counts them down by a compare-and-set, too. So the last one can be taken out only
 * while none comes in, and the order of the key holds whoever does the work, and however many at
 * once. What is parked behind leaves the state as it is: so what was folded meanwhile is saved upon
 * the row as it is by then, and a key that is written to all the time starves nobody. A row is
 * repaired by a compare-and-set from the version that the operator has seen.
 */
@NullMarked
package dev.envelope.idempotency.redrive;

import org.jspecify.annotations.NullMarked;
