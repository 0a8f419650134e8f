/**
 * The ports to parked messages: those of keys, operators' requests about them, and how much of a
 * partition is parked.
 */
@NullMarked
package dev.envelope.idempotency.store.parked;

import org.jspecify.annotations.NullMarked;
