package dev.envelope.idempotency.redrive;

import dev.envelope.core.api.UnavailableException;

/** Something that one request needs is away: it waits, other requests go on. */
final class HeldUpException extends UnavailableException {

    private static final long serialVersionUID = 1L;

    HeldUpException(String message) {
        super(message);
    }

    HeldUpException(String message, Throwable cause) {
        super(message, cause);
    }
}
