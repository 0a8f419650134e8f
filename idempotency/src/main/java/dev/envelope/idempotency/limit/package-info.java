/** How much may be set aside before a partition stops instead. */
@NullMarked
package dev.envelope.idempotency.limit;

import org.jspecify.annotations.NullMarked;
