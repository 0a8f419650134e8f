/** Which process holds which slot, where no group divides the partitions. */
@NullMarked
package dev.envelope.idempotency.store.slot;

import org.jspecify.annotations.NullMarked;
