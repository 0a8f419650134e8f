/** The timers of keys: what a save does to them, and how they fire. */
@NullMarked
package dev.envelope.idempotency.store.timer;

import org.jspecify.annotations.NullMarked;
