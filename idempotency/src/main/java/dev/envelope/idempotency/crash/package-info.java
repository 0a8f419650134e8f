/** Messages that kill the process: counted in the database, and given up after the third time. */
@NullMarked
package dev.envelope.idempotency.crash;

import org.jspecify.annotations.NullMarked;
