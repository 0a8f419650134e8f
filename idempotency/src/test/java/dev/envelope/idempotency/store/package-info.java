/** The store's test kit: a store in memory, and the contract that every store has to pass. */
@NullMarked
package dev.envelope.idempotency.store;

import org.jspecify.annotations.NullMarked;
