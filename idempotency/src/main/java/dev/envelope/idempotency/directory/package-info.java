/**
 * Where a key lives: which process owns its partition, and the rows that this process has in its
 * cache.
 *
 * <p>Both are for speed alone. A row from memory is one that was saved or loaded two seconds ago at
 * the latest, or that has an offset which the caller has named; what nobody has is read from the
 * database.
 */
@NullMarked
package dev.envelope.idempotency.directory;

import org.jspecify.annotations.NullMarked;
