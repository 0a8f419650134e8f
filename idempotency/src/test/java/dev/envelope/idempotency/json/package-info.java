@NullMarked
package dev.envelope.idempotency.json;

import org.jspecify.annotations.NullMarked;
