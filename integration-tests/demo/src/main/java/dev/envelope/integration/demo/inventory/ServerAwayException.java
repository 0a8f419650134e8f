package dev.envelope.integration.demo.inventory;

import org.jspecify.annotations.Nullable;

/** Nothing can be read, since a server does not answer. */
final class ServerAwayException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    ServerAwayException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
