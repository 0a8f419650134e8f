@NullMarked
package dev.envelope.idempotency.directory;

import org.jspecify.annotations.NullMarked;
