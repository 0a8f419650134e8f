/** Rows that are divided, in real databases. */
@NullMarked
package dev.envelope.idempotency.store.postgres.place.division;

import org.jspecify.annotations.NullMarked;
