/** A user's table whose rows are messages: how it is read, and what must be true of it. */
@NullMarked
package dev.envelope.idempotency.store.postgres.table;

import org.jspecify.annotations.NullMarked;
