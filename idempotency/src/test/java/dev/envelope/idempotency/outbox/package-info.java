@NullMarked
package dev.envelope.idempotency.outbox;

import org.jspecify.annotations.NullMarked;
