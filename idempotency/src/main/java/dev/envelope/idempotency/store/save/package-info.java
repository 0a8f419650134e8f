/**
 * The save of a turn's changes: {@code GroupSave} splits a group that can't be saved as a whole
 * down to the row at fault, leaves out locked rows, and returns the fate of each change.
 */
@NullMarked
package dev.envelope.idempotency.store.save;

import org.jspecify.annotations.NullMarked;
