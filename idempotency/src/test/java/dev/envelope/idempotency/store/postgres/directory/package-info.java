@NullMarked
package dev.envelope.idempotency.store.postgres.directory;

import org.jspecify.annotations.NullMarked;
