/** Tests of the handler as a whole, with the store in memory and the turn by hand. */
@NullMarked
package dev.envelope.idempotency;

import org.jspecify.annotations.NullMarked;
