/**
 * Settings that decide what is in the rows: recorded by the first start, compared by each later
 * one.
 */
@NullMarked
package dev.envelope.idempotency.store.pin;

import org.jspecify.annotations.NullMarked;
