/** Outputs in Postgres: relays, their batches, and the rows that wait. */
@NullMarked
package dev.envelope.idempotency.store.postgres.output;

import org.jspecify.annotations.NullMarked;
