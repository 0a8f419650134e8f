/** The answers to commands in Postgres. */
@NullMarked
package dev.envelope.idempotency.store.postgres.reply;

import org.jspecify.annotations.NullMarked;
