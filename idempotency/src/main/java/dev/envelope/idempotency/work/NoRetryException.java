package dev.envelope.idempotency.work;

/**
 * Thrown by {@link Work} for a message that no other attempt can help: it counts as having failed
 * for the last time.
 */
public class NoRetryException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public NoRetryException(String message) {
        super(message);
    }

    public NoRetryException(String message, Throwable cause) {
        super(message, cause);
    }
}
