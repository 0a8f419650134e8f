/**
 * The guarantees as objects, for tests on a log that is read from start to end: those of the
 * cluster and the soak feed them. The simulation checks the same promises at each save with checks
 * of its own, since its logs are cut, compacted and made anew, and its rows are repaired, purged
 * and taken back.
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
