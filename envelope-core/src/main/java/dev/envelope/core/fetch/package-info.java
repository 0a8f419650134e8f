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
 * <p>A partition is {@code Finding}, {@code Flowing}, {@code Finishing} or {@code Stopped}. While
 * its position is looked for it has a provisional one, for the client throws for every partition as
 * long as one has none; it is neither resumed nor committed. Every doubt about a position takes the
 * same road: forget the epoch and find anew; where it is the log that has gone on without us, what
 * was read is saved before that. A stopped partition needs a person; what was read of it is still
 * saved and committed.
 *
 * <p>What the client throws for one partition must not keep the others waiting. Exceptions that
 * name partitions take these aside; for the rest, {@code Suspects} holds partitions back in turn
 * until the culprit is certain.
 *
 * <p>A topic that is made again under its name, and partitions that are added to a topic in use,
 * are not to be seen in what a poll brings: {@code TopicWatch} looks at the topics' ids, and {@code
 * GrowthBarrier} holds back what young partitions bring until what was sent before to the older
 * ones is saved.
 *
 * <p>The byte budget is shared over the partitions, and idle shares are lent. Who may fetch is
 * worked out anew each turn from the ledgers of the present epochs, so that nothing can stay paused
 * for what will never be acked.
 */
@NullMarked
package dev.envelope.core.fetch;

import org.jspecify.annotations.NullMarked;
