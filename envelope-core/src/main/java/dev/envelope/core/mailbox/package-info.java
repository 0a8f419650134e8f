/**
 * From records to envelopes: shards, their mailboxes, and the turn.
 *
 * <p>The keys are divided over a fixed number of shards by hash. A shard is an actor: any worker
 * may run it, one at a time, and owns it meanwhile. Its mailbox is the only way in. One turn takes
 * what waits in the mailboxes of a few shards, groups it by key into envelopes, has the handler
 * settle them, and acks. There is no object per key unless the key can't go on: then a {@code
 * KeyActor} holds its messages until it can, while the other keys of the shard flow.
 *
 * <p>A fold that outlasts the turn is left behind: a watchdog takes the turn away from its worker,
 * gives the shards and the other envelopes back, and leaves that worker with that one key. The
 * result of the fold comes back through the mailbox, with the number of the turn. {@code UserCode}
 * decides which is first, the worker that returns or the watchdog.
 *
 * <p>Each class knows only those after it: {@code TurnRunner} and its {@code ShardTurn}; {@code
 * Booking}, which decides what becomes of envelopes; {@code Shard} with its {@code KeyActors};
 * {@code Drained}, which has the envelopes of a turn; {@code KeyActor}; {@code Mailbox}, where
 * messages wait as bytes if they wait for long ({@code dev.envelope.core.waiting}).
 */
@NullMarked
package dev.envelope.core.mailbox;

import org.jspecify.annotations.NullMarked;
