/**
 * A run of many minutes in which a group of real processes is at work while one thing after the
 * other breaks around it, and the report of what that has shown.
 *
 * <p>{@link dev.envelope.integration.soak.Soak} puts it together. A {@link
 * dev.envelope.integration.soak.SteadyProducer} sends the workload and takes every outage of the
 * broker as it comes. The {@link dev.envelope.integration.soak.Conductor} draws faults from a
 * seeded {@link dev.envelope.integration.soak.Deck} and has them strike, one every few seconds; a
 * {@link dev.envelope.integration.soak.Breakage} says itself whether work was under way when it
 * did. The {@link dev.envelope.integration.soak.Lookout} looks at both servers meanwhile. At the
 * end everything must heal within a bound, and then the oracle judges; the {@link
 * dev.envelope.integration.soak.SoakVerdict} has its findings, the leaks, the secrets and, so that
 * nobody trusts a run in which nothing could go wrong, what had to be above zero.
 */
@NullMarked
package dev.envelope.integration.soak;

import org.jspecify.annotations.NullMarked;
