@NullMarked
package dev.envelope.idempotency.store.pin;

import org.jspecify.annotations.NullMarked;
