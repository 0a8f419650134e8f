@NullMarked
package dev.envelope.idempotency.store.postgres.table;

import org.jspecify.annotations.NullMarked;
