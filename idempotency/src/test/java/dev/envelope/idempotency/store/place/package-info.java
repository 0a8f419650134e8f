@NullMarked
package dev.envelope.idempotency.store.place;

import org.jspecify.annotations.NullMarked;
