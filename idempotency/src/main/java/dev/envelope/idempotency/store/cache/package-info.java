/** The snapshot cache: rows as this process saved them last, and a guess which keys are new. */
@NullMarked
package dev.envelope.idempotency.store.cache;

import org.jspecify.annotations.NullMarked;
