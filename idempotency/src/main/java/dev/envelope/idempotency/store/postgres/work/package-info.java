/** Transactions of handlers that write what they like, and the marks of messages in them. */
@NullMarked
package dev.envelope.idempotency.store.postgres.work;

import org.jspecify.annotations.NullMarked;
