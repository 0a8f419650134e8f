/**
 * How statements reach Postgres: the settings, connections and pools, what its errors mean, which
 * life of the server answers, and values as the wire has them.
 */
@NullMarked
package dev.envelope.idempotency.store.postgres.sql;

import org.jspecify.annotations.NullMarked;
