/**
 * Outputs on their way to Kafka: in transactions that commit the batch's number, at least once, or
 * not at all.
 */
@NullMarked
package dev.envelope.idempotency.output.kafka;

import org.jspecify.annotations.NullMarked;
