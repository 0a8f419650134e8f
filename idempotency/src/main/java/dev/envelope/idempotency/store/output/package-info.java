/** What handlers emit: saved with the row, and waiting here until Kafka has committed it. */
package dev.envelope.idempotency.store.output;
