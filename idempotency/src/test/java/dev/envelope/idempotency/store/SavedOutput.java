package dev.envelope.idempotency.store;

import dev.envelope.idempotency.store.output.Output;

/** An output that was saved, and the key of the row that it was saved with. */
public record SavedOutput(String rowKey, Output output) {}
