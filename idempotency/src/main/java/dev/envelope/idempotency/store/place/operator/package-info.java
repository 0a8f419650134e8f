/** What operators see and ask of rows that are divided: of all slots as one. */
@NullMarked
package dev.envelope.idempotency.store.place.operator;

import org.jspecify.annotations.NullMarked;
