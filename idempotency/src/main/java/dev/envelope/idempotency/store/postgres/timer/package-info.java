/** Timers in Postgres. */
@NullMarked
package dev.envelope.idempotency.store.postgres.timer;

import org.jspecify.annotations.NullMarked;
