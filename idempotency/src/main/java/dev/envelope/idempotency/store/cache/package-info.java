/**
 * What a process knows of rows without asking: what it saved last, and which keys are probably new.
 */
@NullMarked
package dev.envelope.idempotency.store.cache;

import org.jspecify.annotations.NullMarked;
