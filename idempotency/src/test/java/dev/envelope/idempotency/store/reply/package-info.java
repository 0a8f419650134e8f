@NullMarked
package dev.envelope.idempotency.store.reply;

import org.jspecify.annotations.NullMarked;
