/**
 * What operators see and request, independent of the database: the port for commands, API and page.
 * {@code OperatorStore} hands out the catalogs.
 */
@NullMarked
package dev.envelope.idempotency.store.operator;

import org.jspecify.annotations.NullMarked;
