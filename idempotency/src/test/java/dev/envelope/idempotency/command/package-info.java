@NullMarked
package dev.envelope.idempotency.command;

import org.jspecify.annotations.NullMarked;
