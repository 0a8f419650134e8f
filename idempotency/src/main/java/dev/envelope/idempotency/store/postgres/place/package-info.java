/** What a slot of divided rows has to do with the others, in Postgres. */
@NullMarked
package dev.envelope.idempotency.store.postgres.place;

import org.jspecify.annotations.NullMarked;
