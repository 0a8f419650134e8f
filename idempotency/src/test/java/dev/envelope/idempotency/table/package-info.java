@NullMarked
package dev.envelope.idempotency.table;

import org.jspecify.annotations.NullMarked;
