/**
 * The poll thread: fetches ahead of the work within a budget, decodes keys, and gives every shard
 * its messages. {@code PollLoop.turn()} is the page that explains the project.
 *
 * <p>One thread owns the Kafka client, the assignment and the ledgers; others talk to it by acks
 * and errands. It never runs user code or JDBC. Rebalances are three different events. Assigned:
 * the partition is taken on, paused, until its position has been found in the background. Revoked:
 * nothing more of it enters a turn, what is in one is awaited for a bounded time, then checkpoint
 * and commit. Lost: it is forgotten.
 *
 * <p>The byte budget is shared over the partitions, and idle shares are lent. Who may fetch is
 * worked out anew each turn from the ledgers of the present epochs, so that nothing can stay paused
 * for what will never be acked.
 */
@NullMarked
package dev.envelope.core.fetch;

import org.jspecify.annotations.NullMarked;
