/**
 * The partitions that this process has, and what each is doing: {@code Finding}, {@code Flowing},
 * {@code Finishing} or {@code Stopped}. {@code Positioning} brings them from one to the next.
 *
 * <p>While a position is looked for the partition has a provisional one, for the client throws for
 * every partition as long as one has none; it is neither resumed nor committed. Every doubt about a
 * position takes the same road: forget the epoch and find anew. A stopped partition needs a person;
 * what was read of it is still saved and committed.
 *
 * <p>All of it is the poll thread's. A partition that comes back is a new object, so that an answer
 * to a question about its former life finds nobody.
 */
@NullMarked
package dev.envelope.core.assignment;

import org.jspecify.annotations.NullMarked;
