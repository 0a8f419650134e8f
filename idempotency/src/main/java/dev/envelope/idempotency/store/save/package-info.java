/**
 * The save of a turn's changes: {@code GroupSave} splits a group that can't be saved as a whole
 * down to the row at fault, or saves around the locked ones, and tells the fate of each change.
 */
@NullMarked
package dev.envelope.idempotency.store.save;

import org.jspecify.annotations.NullMarked;
