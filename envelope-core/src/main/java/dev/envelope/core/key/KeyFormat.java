package dev.envelope.core.key;

import dev.envelope.core.decode.DecoderOutException;
import org.apache.kafka.common.header.Headers;

/**
 * Turns a record's key into the text of a row key. Different bytes that mean the same key must give
 * the same text.
 *
 * <p>Threads: poll thread only, and must not block; a format that {@link #mayBlock} is called in
 * the background, by several threads at once.
 */
@FunctionalInterface
public interface KeyFormat {

    /**
     * The row key.
     *
     * @throws KeyRefused if these bytes are not a key of this format
     * @throws DecoderOutException if it can't be decoded now: it is tried again later, and what
     *     comes after it in its partition waits
     */
    String decode(String topic, Headers headers, byte[] key) throws KeyRefused;

    /** Whether the same bytes always give the same text, whatever their topic and headers are. */
    default boolean readsOnlyTheKey() {
        return false;
    }

    /** Whether it may block, for instance because it asks a schema registry. */
    default boolean mayBlock() {
        return false;
    }

    /**
     * A key that can't be a row key, and why. It has no stack trace, since it is an expected case.
     */
    final class KeyRefused extends Exception {

        private static final long serialVersionUID = 1L;

        public KeyRefused(String reason) {
            super(reason, null, false, false);
        }
    }
}
