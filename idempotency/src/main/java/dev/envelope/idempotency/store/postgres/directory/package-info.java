/** What processes have told of the partitions that they own, in Postgres. */
@NullMarked
package dev.envelope.idempotency.store.postgres.directory;

import org.jspecify.annotations.NullMarked;
