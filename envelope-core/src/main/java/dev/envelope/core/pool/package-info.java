/**
 * The workers that run the shards.
 *
 * <p>A shard that has something to do is queued; a free worker takes its fair share of the queue
 * (ready shards / workers) into one turn, so that turns, and with them transactions, grow with the
 * backlog. A blocking handler has as much concurrency as there are workers and shards.
 *
 * <p>A watchdog looks at the turns that run and takes those away whose worker is stuck in one fold.
 * A {@code barrier} passes when every turn that runs now has ended or was taken: so a revoke waits
 * for what is being saved, and not for a fold that may never return. An exception from a turn is a
 * fault of the program and ends the consumer.
 */
@NullMarked
package dev.envelope.core.pool;

import org.jspecify.annotations.NullMarked;
