/**
 * Which messages of an envelope are new: by the marks and the event ids that were saved with the
 * state. Pure: no clock, no database, no thread.
 *
 * <p><b>Marks</b> tell redeliveries. Per source they name the next offset that was not applied;
 * whatever lies below is a duplicate, without a list of what was seen. The leader epoch of the last
 * applied message stands beside it: a message below the mark that was written under a later one
 * proves that the log was truncated and written anew, and is refused.
 *
 * <p><b>Event ids</b> tell a producer's repetitions, which have offsets of their own. A window of
 * 128-bit hashes is kept in the row, bounded by count and, if asked, by age. What it forgets
 * depends on the messages alone, not on a clock nor on how they were divided into envelopes: so a
 * replay years later decides the same.
 */
@NullMarked
package dev.envelope.idempotency.dedupe;

import org.jspecify.annotations.NullMarked;
