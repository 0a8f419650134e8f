@NullMarked
package dev.envelope.idempotency.timer;

import org.jspecify.annotations.NullMarked;
