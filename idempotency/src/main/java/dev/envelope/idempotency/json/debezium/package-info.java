/** Keys and values as Debezium writes them. */
@NullMarked
package dev.envelope.idempotency.json.debezium;

import org.jspecify.annotations.NullMarked;
