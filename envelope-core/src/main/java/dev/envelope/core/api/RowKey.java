package dev.envelope.core.api;

import org.jspecify.annotations.Nullable;

/**
 * The key of a row, and the bytes that stand for it in a record.
 *
 * @param bytes null if the record has no key
 * @param isKept whether the same text and bytes are kept for the next messages of the key
 */
public record RowKey(String text, byte @Nullable [] bytes, boolean isKept) {

    public RowKey(String text, byte @Nullable [] bytes) {
        this(text, bytes, false);
    }
}
