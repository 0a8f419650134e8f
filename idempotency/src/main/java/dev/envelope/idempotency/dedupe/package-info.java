/**
 * Which messages of an envelope are new: by the marks and the event ids that were saved with the
 * state. Pure: no clock, no database, no thread.
 *
 * <p><b>Marks</b> recognize redeliveries. For each source they have the next offset that was not
 * applied; every message below it is a duplicate, so no list of messages is kept. A mark also has
 * the leader epoch of the last applied message. A message below the mark with a later leader epoch
 * shows that the log was truncated and rewritten, and is refused.
 *
 * <p><b>Event ids</b> recognize messages that a producer sent twice, at different offsets. The row
 * has a window of 128-bit hashes, limited by count and optionally by age. What it forgets depends
 * on the messages alone, not on a clock or on how they were divided into envelopes, so a replay
 * years later gives the same result.
 */
@NullMarked
package dev.envelope.idempotency.dedupe;

import org.jspecify.annotations.NullMarked;
