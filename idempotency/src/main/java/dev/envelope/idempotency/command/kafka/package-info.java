/** The log that commands are put into, in Kafka, and what is behind a gateway as a whole. */
@NullMarked
package dev.envelope.idempotency.command.kafka;

import org.jspecify.annotations.NullMarked;
