/** Holds the slots of a process, where no group divides the partitions. */
@NullMarked
package dev.envelope.idempotency.slot;

import org.jspecify.annotations.NullMarked;
