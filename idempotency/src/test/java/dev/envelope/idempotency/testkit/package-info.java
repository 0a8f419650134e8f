/**
 * The guarantees as objects, for every test that can tell what was saved: the simulation and the
 * cluster tests feed the same checkers.
 *
 * <p>What a run may be judged by is its {@link dev.envelope.idempotency.testkit.Log}, which says
 * what has to become of each record, and its {@link dev.envelope.idempotency.testkit.Evidence},
 * which says what did. A {@link dev.envelope.idempotency.testkit.Guarantee} compares the two and
 * calls what must not be by its {@link dev.envelope.idempotency.testkit.Anomaly name}.
 *
 * <p>{@link dev.envelope.idempotency.testkit.HandlerTest} is for whoever writes a fold.
 */
@NullMarked
package dev.envelope.idempotency.testkit;

import org.jspecify.annotations.NullMarked;
