@NullMarked
package dev.envelope.idempotency.limit;

import org.jspecify.annotations.NullMarked;
