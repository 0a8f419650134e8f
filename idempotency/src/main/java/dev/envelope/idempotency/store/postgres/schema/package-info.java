/**
 * The tables: the migrator and its files, the checks before a start, and the recorded settings that
 * decide what is in the rows.
 */
@NullMarked
package dev.envelope.idempotency.store.postgres.schema;

import org.jspecify.annotations.NullMarked;
