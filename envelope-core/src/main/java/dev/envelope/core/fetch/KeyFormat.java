package dev.envelope.core.fetch;

import org.apache.kafka.common.header.Headers;

/**
 * Turns a record's key into the text of a row key. Different bytes that mean the same key must give
 * the same text.
 *
 * <p>Threads: poll thread only; must not block.
 */
@FunctionalInterface
public interface KeyFormat {

    /**
     * The row key.
     *
     * @throws KeyRefused if these bytes are not a key of this format
     */
    String decode(String topic, Headers headers, byte[] key) throws KeyRefused;

    /** A key that can't be a row key, with why. It carries no stack: it is no surprise. */
    final class KeyRefused extends Exception {

        private static final long serialVersionUID = 1L;

        public KeyRefused(String reason) {
            super(reason, null, false, false);
        }
    }
}
