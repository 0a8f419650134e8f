@NullMarked
package dev.envelope.idempotency.output;

import org.jspecify.annotations.NullMarked;
