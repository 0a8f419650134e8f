/** What handlers emit: saved with the row, and waiting here until Kafka has committed it. */
@NullMarked
package dev.envelope.idempotency.store.output;

import org.jspecify.annotations.NullMarked;
