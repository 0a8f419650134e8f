@NullMarked
package dev.envelope.idempotency.store.postgres.slot;

import org.jspecify.annotations.NullMarked;
