/**
 * Access to Postgres: settings, connections and pools, the meaning of errors, the incarnation of
 * the server, and values in binary form.
 */
@NullMarked
package dev.envelope.idempotency.store.postgres.sql;

import org.jspecify.annotations.NullMarked;
