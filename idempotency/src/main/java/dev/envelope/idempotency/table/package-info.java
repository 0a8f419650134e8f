/**
 * Reads a table as a log: its rows are handed out as records, each with a number that is given when
 * it is read. What is not done is read, over and over, so nothing is left out that becomes visible
 * late; a row is done in the transaction that saves its effect.
 *
 * <p>{@code TableReader} reads, on a thread of its own; {@code TableConsumer} is what the poll
 * thread sees; {@code Reading} is what both share of a partition, which is a slot.
 */
@NullMarked
package dev.envelope.idempotency.table;

import org.jspecify.annotations.NullMarked;
