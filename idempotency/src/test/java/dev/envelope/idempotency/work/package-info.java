@NullMarked
package dev.envelope.idempotency.work;

import org.jspecify.annotations.NullMarked;
