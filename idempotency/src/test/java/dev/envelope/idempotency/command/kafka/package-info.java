@NullMarked
package dev.envelope.idempotency.command.kafka;

import org.jspecify.annotations.NullMarked;
