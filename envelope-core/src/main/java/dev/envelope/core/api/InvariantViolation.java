package dev.envelope.core.api;

/**
 * A bug in the program: an invariant does not hold. The consumer stops without committing, because
 * what it would commit can no longer be trusted.
 */
public final class InvariantViolation extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    public InvariantViolation(String message) {
        super(message);
    }

    public InvariantViolation(String message, Throwable cause) {
        super(message, cause);
    }
}
