/**
 * Messages that wait, as bytes.
 *
 * <p>Hundreds of thousands of messages wait in a process that has much to do, for a second or so.
 * As objects they would outlive a few young collections, each of which would copy all of them; and
 * a worker that gets to one at last would find each of its parts somewhere else in memory. So where
 * messages wait for long, one that comes in is copied into a slab, and what the client has
 * allocated for it can go at once; when it is taken out it becomes an object again, which lives as
 * long as a turn.
 *
 * <p>A slab goes back to its pool as soon as its last message was taken out: what was taken out has
 * nothing in common with it.
 */
@NullMarked
package dev.envelope.core.waiting;

import org.jspecify.annotations.NullMarked;
