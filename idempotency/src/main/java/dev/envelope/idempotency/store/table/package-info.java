/** The port to a table whose rows are messages. */
@NullMarked
package dev.envelope.idempotency.store.table;

import org.jspecify.annotations.NullMarked;
