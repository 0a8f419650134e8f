/**
 * The engine as a library: Kafka in, envelopes out, acks in, commits out.
 *
 * <p>The packages follow the flow: {@code fetch} polls, {@code mailbox} groups by key and calls the
 * handler, {@code offset} tracks acks and commits; {@code pool} has the workers, {@code api} the
 * types that all share.
 *
 * <p>This package wires them. {@code SystemEnvironment} is the only place that takes time, timers,
 * threads and random numbers from the system. All other classes get them as arguments, so that a
 * test or a simulation can call every turn by hand.
 */
@NullMarked
package dev.envelope.core;

import org.jspecify.annotations.NullMarked;
