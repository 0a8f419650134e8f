package dev.envelope.idempotency.redrive;

import dev.envelope.core.api.UnavailableException;

/** What one request needs is away: it waits, and the others need not. */
final class HeldUpException extends UnavailableException {

    private static final long serialVersionUID = 1L;

    HeldUpException(String message, Throwable cause) {
        super(message, cause);
    }
}
