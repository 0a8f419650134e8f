@NullMarked
package dev.envelope.idempotency.dedupe;

import org.jspecify.annotations.NullMarked;
