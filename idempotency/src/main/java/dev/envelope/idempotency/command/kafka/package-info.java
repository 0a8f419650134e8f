/** The log that commands are put into, in Kafka. */
@NullMarked
package dev.envelope.idempotency.command.kafka;

import org.jspecify.annotations.NullMarked;
