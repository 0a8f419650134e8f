/** Rows that were not divided become rows in slots, in Postgres. */
@NullMarked
package dev.envelope.idempotency.store.postgres.place.division;

import org.jspecify.annotations.NullMarked;
