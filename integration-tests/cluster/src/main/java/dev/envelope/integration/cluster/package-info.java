/**
 * A consumer group of real processes on the local stack, and what is done to it: killed at random
 * and at aimed moments, stopped, frozen, replayed.
 *
 * <p>{@link dev.envelope.integration.cluster.ConsumerMain} is the process under test: the library
 * as a user would put it together, with wrappers of the test around the handler, the fold, the
 * store and the checkpoints. They are the only place where a process can be made to end at a point
 * of its choosing ({@link dev.envelope.integration.cluster.Aim}) or to break a promise on purpose
 * ({@link dev.envelope.integration.cluster.Mutant}); the product knows nothing of it. What it was
 * doing when it ended can be read from its {@link dev.envelope.integration.cluster.Beat}.
 */
@NullMarked
package dev.envelope.integration.cluster;

import org.jspecify.annotations.NullMarked;
