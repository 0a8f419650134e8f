package dev.envelope.core.api;

import org.jspecify.annotations.Nullable;

/**
 * The key of a row, and the bytes that stand for it in a record.
 *
 * @param bytes null if the record has no key
 */
public record RowKey(String text, byte @Nullable [] bytes) {}
