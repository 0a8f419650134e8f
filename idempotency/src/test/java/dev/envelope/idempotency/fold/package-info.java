@NullMarked
package dev.envelope.idempotency.fold;

import org.jspecify.annotations.NullMarked;
