/**
 * The tables and what is written down about them: the migrator and its files, whether the schema is
 * ours, and the settings that decide what is in the rows.
 */
@NullMarked
package dev.envelope.idempotency.store.postgres.schema;

import org.jspecify.annotations.NullMarked;
