/**
 * The engine as a library: Kafka in, envelopes out, acks in, commits out.
 *
 * <p>The packages are the stages, in the order of the flow: {@code fetch} polls, {@code mailbox}
 * groups and hands over, {@code offset} books and commits; {@code pool} has the threads, {@code
 * api} the words that all share.
 *
 * <p>Here is where they are put together, and where the engine meets the machine: {@code
 * SystemEnvironment} is the only place that takes time, timers, threads and chance from the system.
 * All other classes get them as arguments, so that a test or a simulation can call every turn by
 * hand.
 */
@NullMarked
package dev.envelope.core;

import org.jspecify.annotations.NullMarked;
