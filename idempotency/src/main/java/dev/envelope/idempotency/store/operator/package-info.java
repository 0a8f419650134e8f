/**
 * What operators see and ask for, whatever the database: the port of the commands, the API and the
 * page. {@code OperatorStore} hands out the rest.
 */
@NullMarked
package dev.envelope.idempotency.store.operator;

import org.jspecify.annotations.NullMarked;
