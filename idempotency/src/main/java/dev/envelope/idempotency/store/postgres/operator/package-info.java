/** What operators see and request, in Postgres, on connections of its own. */
@NullMarked
package dev.envelope.idempotency.store.postgres.operator;

import org.jspecify.annotations.NullMarked;
