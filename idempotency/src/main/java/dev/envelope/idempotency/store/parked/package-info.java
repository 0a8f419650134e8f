/**
 * The ports to what is set aside: the parked messages of keys, what operators have asked to be done
 * with them, and how much of a partition stands parked.
 */
@NullMarked
package dev.envelope.idempotency.store.parked;

import org.jspecify.annotations.NullMarked;
