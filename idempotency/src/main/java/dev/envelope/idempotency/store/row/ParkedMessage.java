package dev.envelope.idempotency.store.row;

import dev.envelope.core.api.Message;
import org.jspecify.annotations.Nullable;

/**
 * A message to be parked, with the reason. Its identity is its source, offset and leader epoch;
 * inserting it again changes nothing.
 *
 * @param rowKey the row that it belongs to, or null for one that can't have a row
 * @param reason one word for grouping: {@code null-key}, {@code key-format}, {@code undecodable} …
 * @param error what went wrong, for the operator; already free of secrets, cut to a bounded length
 * @param attempts how often it was tried
 */
public record ParkedMessage(
        Message message, @Nullable String rowKey, String reason, String error, int attempts) {}
