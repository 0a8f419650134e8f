/** The contract on a real Postgres, and what only a real one can show. */
@NullMarked
package dev.envelope.idempotency.store.postgres;

import org.jspecify.annotations.NullMarked;
